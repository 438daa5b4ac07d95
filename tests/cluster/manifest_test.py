#!/usr/bin/env python3
"""The manifest for Kubernetes: manifest_test.py VIDCONV

An excerpt of batch/v1 Job, written for this test after its reference, with all fields that the manifest uses, and
no others. Where the Python module kubernetes_validate is installed (PyPI), the whole schema is asked too.
"""
import importlib
import re
import unittest

import jsonschema
import yaml

from support import PartsTest


def record(required=(), **fields):
    return {"type": "object", "required": list(required), "additionalProperties": False, "properties": fields}


def many(item):
    return {"type": "array", "items": item, "minItems": 1}


TEXT = {"type": "string", "minLength": 1}
COUNT = {"type": "integer", "minimum": 0}
NAME = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"}
QUANTITY = {"type": "string", "pattern": "^[0-9]+(m|Ki|Mi|Gi)?$"}
RULE = record(
    ["action"],
    action={"enum": ["FailJob", "FailIndex", "Ignore", "Count"]},
    onExitCodes=record(["operator", "values"], containerName=NAME, operator={"enum": ["In", "NotIn"]},
                       values=many({"type": "integer", "minimum": 1, "maximum": 255})),
    onPodConditions=many(record(["type", "status"], type=TEXT, status={"enum": ["True", "False", "Unknown"]})),
)
CONTAINER = record(
    ["name", "image"],
    name=NAME,
    image=TEXT,
    command=many(TEXT),
    resources=record(requests=record(cpu=QUANTITY, memory=QUANTITY)),
    volumeMounts=many(record(["name", "mountPath"], name=NAME, mountPath={"type": "string", "pattern": "^/[^:]*$"})),
)
POD = record(
    ["containers", "restartPolicy"],
    restartPolicy={"const": "Never"},  # podFailurePolicy requires it
    containers=many(CONTAINER),
    volumes=many(record(["name"], name=NAME, persistentVolumeClaim=record(["claimName"], claimName=NAME))),
)
JOB = record(
    ["apiVersion", "kind", "metadata", "spec"],
    apiVersion={"const": "batch/v1"},
    kind={"const": "Job"},
    metadata=record(["name"], name=NAME),
    spec=record(
        ["template"],
        completionMode={"enum": ["Indexed", "NonIndexed"]},
        completions=COUNT,
        parallelism=COUNT,
        backoffLimit=COUNT,
        backoffLimitPerIndex=COUNT,
        maxFailedIndexes=COUNT,
        suspend={"type": "boolean"},
        podFailurePolicy=record(["rules"], rules=many(RULE)),
        template=record(["spec"], spec=POD),
    ),
)


class Manifest(PartsTest):
    def setUp(self):
        super().setUp()
        self.clip()

    def documents(self, *more, folder="job"):
        text = self.plan("in.mp4", "--shards", "3", "--script", "kubernetes", *more, folder=folder)
        return list(yaml.safe_load_all(text))

    def test_join_is_told_the_name_of_the_audit(self):
        _, join = self.documents("--audit", "an audit $(HOST).jsonl")
        words = join["spec"]["template"]["spec"]["containers"][0]["command"]
        self.assertEqual(words[5:], ["--audit", f"{self.folder}/an audit $$(HOST).jsonl"])

    def test_fields_are_those_of_jobs(self):
        shard, join = self.documents()
        for job in (shard, join):
            jsonschema.validate(job, JOB)
        spec = shard["spec"]
        self.assertEqual((spec["completionMode"], spec["completions"], spec["backoffLimitPerIndex"]), ("Indexed", 3, 3))
        self.assertLessEqual(spec["maxFailedIndexes"], spec["completions"])
        # Exit code 75 is tried again; failures that would come again are not.
        (rule,) = [rule for rule in spec["podFailurePolicy"]["rules"] if "onExitCodes" in rule]
        self.assertNotIn(75, rule["onExitCodes"]["values"])
        self.assertEqual(rule["onExitCodes"]["containerName"], spec["template"]["spec"]["containers"][0]["name"])
        volumes = {volume["name"] for volume in spec["template"]["spec"]["volumes"]}
        for mount in spec["template"]["spec"]["containers"][0]["volumeMounts"]:
            self.assertIn(mount["name"], volumes)

    @staticmethod
    def expanded(job):
        """Returns a job's command as a kubelet expands it: $$ is $, $(NAME) a variable's value."""
        words = job["spec"]["template"]["spec"]["containers"][0]["command"]
        return [re.sub(r"\$\$|\$\((\w+)\)", lambda m: "of a variable" if m[1] else "$", word) for word in words]

    def test_a_name_that_no_manifest_can_hold_is_refused(self):
        self.plan("in.mp4", "--shards", "3", "--script", "kubernetes", folder=b"a\xff".decode(errors="surrogateescape"),
                  code=2, says=("YAML",))
        self.plan("in.mp4", "--shards", "3", "--script", "kubernetes",
                  output=b"a\xff.mkv".decode(errors="surrogateescape"), code=2, says=("YAML",))
        name = b"a\xff.mp4".decode(errors="surrogateescape")
        (self.folder / "in.mp4").rename(self.folder / name)
        self.plan(name, "--shards", "3", folder="another", code=2, says=("JSON",))
        (self.folder / name).rename(self.folder / "in.mp4")
        kernel = b"k\xff.txt".decode(errors="surrogateescape")
        (self.folder / kernel).write_text("1 2 1\n")
        self.plan("in.mp4", "--shards", "3", "--kernel", f"file:{kernel}", folder="another", code=2, says=("JSON",))

    def test_whole_schema(self):
        try:
            validator = importlib.import_module("kubernetes_validate")
        except ImportError:
            self.skipTest("kubernetes_validate is not installed")
        for job in self.documents():
            validator.validate(job, "1.29", strict=True)

    def test_what_it_runs_is_what_we_run(self):
        """Runs the commands as a kubelet does, with each index."""
        folder = 'a "folder"\\ $(HOME) $$ é\t%s {{x}} \x01\x7f\x85\u2028\ufeff\uffff😀\n- b: # !\r'
        shard, join = self.documents(folder)
        for index in (2, 0, 1):
            _, *words = self.expanded(shard)
            self.vidconv(*words, environment={"JOB_COMPLETION_INDEX": str(index)})
        self.vidconv(*self.expanded(join)[1:])
        self.expect_bytes_of_one_process("in.mp4", "--shards", "3")


if __name__ == "__main__":
    unittest.main()
