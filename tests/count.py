#!/usr/bin/env python3
"""Counts the tests of a build tree after ctest: "PASSED FAILED SKIPPED".

    tests/count.py BUILD
    tests/count.py --report FILE    one program's report alone; a failure where there is none

Read from the reports (BUILD/tests.xml, by ctest --output-junit), because ctest's exit code tells neither how many failed
nor whether a test that did not run was skipped or had no program. A process that runs many tests (a name that
ends with .process-N) leaves a report of its own in BUILD/processes: it counts as its tests, and as one more that failed where it
ended badly and none of them says so. Those that failed are named on stderr, with the first of what they said.
"""
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def of_process(report):
    """Returns the passed, failed and skipped tests of a GoogleTest program."""
    passed = failed = skipped = 0
    for case in ElementTree.parse(report).iter("testcase"):
        if case.get("status") != "run":
            continue  # run by another process, or not selected
        failure = case.find("failure")
        if failure is not None:
            failed += 1
            print(f"FAILED {case.get('classname')}.{case.get('name')}: {failure.get('message', '')[:500]}", file=sys.stderr)
        elif case.get("result") == "skipped":
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def count(build):
    passed = failed = skipped = 0
    for case in ElementTree.parse(build / "tests.xml").iter("testcase"):
        good = case.get("status") == "run"
        not_run = case.find("skipped")
        if ".process-" in case.get("name"):
            report = build / "processes" / (case.get("name").replace(".process-", "-") + ".xml")
            inside = of_process(report) if report.exists() else (0, 0, 0)
            if good and sum(inside) == 0 or not good and inside[1] == 0:
                inside = (inside[0], 1, inside[2])
            passed, failed, skipped = passed + inside[0], failed + inside[1], skipped + inside[2]
        elif good:
            passed += 1
        elif case.get("status") == "disabled" or not_run is not None and not_run.get("message", "").startswith("SKIP_"):
            skipped += 1
        else:
            failed += 1
            print(f"FAILED {case.get('name')}", file=sys.stderr)
    return passed, failed, skipped


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--report":
        report = Path(sys.argv[2])
        print(*(of_process(report) if report.exists() else (0, 1, 0)))
        sys.exit()
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(*count(Path(sys.argv[1])))
