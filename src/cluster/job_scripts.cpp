#include "src/cluster/job_scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"

namespace vidconv {
namespace {

// Quotes any text as one shell word.
std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// Passes an option on that needs no quoting in a shell, in the shell behind it, or in parallel.
// All options of workers are such.
const std::string& plain_word(const std::string& word) {
  const auto plain = [](const char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("-_=.,:+").find(c) != std::string_view::npos;
  };
  if (std::ranges::all_of(word, plain)) return word;
  throw Error(MessageKind::command_line, "no script can hold", word,
              "its value has other characters than names and numbers",
              "give it to the workers yourself");
}

// Escapes the text of a container's command, in which Kubernetes replaces $(NAME) by a variable and
// $$ by $.
std::string without_variables(const std::string& text) {
  std::string word;
  for (const char c : text) word += c == '$' ? std::string("$$") : std::string(1, c);
  return word;
}

// Writes a YAML scalar in JSON's syntax, with what YAML forbids or takes for the end of a line
// escaped. Throws Error(command_line) for text that YAML cannot hold.
std::string yaml_scalar(const std::string& text) {
  if (!is_utf8(text))
    throw Error(MessageKind::command_line, "`script` kubernetes cannot name", text,
                "its name is not UTF-8, and YAML holds nothing else", "use another name for it");
  return printable(nlohmann::json(text).dump());
}

constexpr const char* slurm_job = R"sh(#!/bin/bash
# Encodes {parts} parts as an array, then joins them. Run it on a host that submits jobs:
#   bash job.sh
# A host that dies has its parts requeued by Slurm; a part that says "try again" (exit code 75) is requeued
# here, at most three times. One that says so again after that fails the array, and the join is cancelled: run this
# again when the cause is gone, and only what is missing is encoded. docs/cluster.md says what to change on a site.
set -euo pipefail
dir={dir}
output={output}
audit={audit}
logs=${{dir//%/%%}}  # names of logs are patterns

array=$(sbatch --parsable --array=0-{last} --requeue --export=ALL \
  --job-name=vidconv-shard --cpus-per-task=4 --output="$logs/shard-%a.log" --open-mode=append <<EOF
#!/bin/bash
vidconv shard $(printf %q "$dir") --progress none{shard_options}
code=\$?
if [ \$code = 75 ] && [ "\${{SLURM_RESTART_COUNT:-0}}" -lt 3 ]; then
  scontrol requeue "\${{SLURM_ARRAY_JOB_ID}}_\$SLURM_ARRAY_TASK_ID"
  sleep 60  # until Slurm ends this one
fi
[ \$code != 75 ] || echo "part \$SLURM_ARRAY_TASK_ID is given up: it was requeued three times" >&2
exit \$code
EOF
)

join=$(sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes --requeue --export=ALL \
  --job-name=vidconv-join --cpus-per-task=1 --output="$logs/join.log" --open-mode=append <<EOF
#!/bin/bash
vidconv join $(printf %q "$dir") -o $(printf %q "$output")${{audit:+ --audit $(printf %q "$audit")}}{join_options}
code=\$?
if [ \$code = 75 ] && [ "\${{SLURM_RESTART_COUNT:-0}}" -lt 3 ]; then
  scontrol requeue "\$SLURM_JOB_ID"
  sleep 60
fi
exit \$code
EOF
)
echo "$array $join"
)sh";

constexpr const char* kubernetes_job =
    R"yaml(# Encodes {parts} parts as an Indexed Job; kubectl apply -f FILE. When it is complete:
#   kubectl create job vidconv-join --image=IMAGE -- vidconv join DIR -o OUTPUT
# (or the second document below, applied then). The image, the volume and the resources are a site's:
# docs/cluster.md says what to change. An index that fails is tried again three times, on whatever node, with growing
# pauses; the others go on meanwhile.
apiVersion: batch/v1
kind: Job
metadata:
  name: vidconv-shard
spec:
  completionMode: Indexed
  completions: {parts}
  parallelism: {parallelism}
  backoffLimitPerIndex: 3
  maxFailedIndexes: {parts}
  podFailurePolicy:
    rules:
      - action: Ignore  # a node that is drained is no failure of the part
        onPodConditions:
          - type: DisruptionTarget
            status: "True"
      - action: FailIndex  # trying again would not help
        onExitCodes:
          containerName: vidconv
          operator: In
          values: [2, 3, 6, 7]
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: vidconv
          image: "vidconv:latest"
          # The number of the part is JOB_COMPLETION_INDEX.
          command: ["vidconv", "shard", {dir}, "--progress", "none"{shard_options}]
          resources:
            requests:
              cpu: "4"
              memory: "4Gi"
          volumeMounts:
            - name: shared
              mountPath: {mount}
      volumes:
        - name: shared
          persistentVolumeClaim:
            claimName: vidconv
---
apiVersion: batch/v1
kind: Job
metadata:
  name: vidconv-join
spec:
  suspend: true  # kubectl patch job vidconv-join -p '{{"spec":{{"suspend":false}}}}', when all parts are there
  backoffLimit: 3
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: vidconv
          image: "vidconv:latest"
          command: ["vidconv", "join", {dir}, "-o", {output}{audit}{join_options}]
          volumeMounts:
            - name: shared
              mountPath: {mount}
      volumes:
        - name: shared
          persistentVolumeClaim:
            claimName: vidconv
)yaml";

constexpr const char* parallel_job = R"sh(#!/bin/bash
# Encodes {parts} parts with GNU parallel, on this host or on those of --sshloginfile, then joins them. Run again, it goes
# on with what has failed (--resume-failed). docs/cluster.md says what to change on a site.
set -euo pipefail
dir={dir}
output={output}
audit={audit}

export VIDCONV_DIR="$dir"  # not in the command, in which parallel would look for what it replaces
# shellcheck disable=SC2016  # it is for the shells that parallel starts
seq 0 {last} | parallel --env VIDCONV_DIR --joblog "$dir/joblog" --resume-failed --retries 3 \
  --jobs "${{JOBS:-50%}}" 'vidconv shard {{}} "$VIDCONV_DIR" --quiet --progress none{shard_options}'
vidconv join "$dir" -o "$output" ${{audit:+--audit "$audit"}}{join_options}
)sh";

// Returns the folder of the first level, where a volume of the site is likely to be mounted.
std::string mount_of(const std::string& folder) {
  const std::size_t end = folder.find('/', 1);
  return folder.substr(0, end == std::string::npos ? folder.size() : end);
}

}  // namespace

std::string job_script(JobScript kind, const WorkersLines& told, std::size_t parts) {
  const bool shell = kind != JobScript::kubernetes;
  if (kind == JobScript::slurm && told.folder.find('\\') != std::string::npos)
    throw Error(MessageKind::command_line, "`script` slurm cannot name", told.folder,
                "in names of logs Slurm takes a backslash for something else",
                "use another name for it");
  const char* script = kind == JobScript::slurm        ? slurm_job
                       : kind == JobScript::kubernetes ? kubernetes_job
                                                       : parallel_job;
  const auto name = [&](const std::string& path) {
    return shell ? shell_word(path) : yaml_scalar(without_variables(path));
  };
  std::string of_shard, of_join;
  for (const std::string& word : told.machine) {
    const std::string option =
        shell ? " " + plain_word(word) : ", " + yaml_scalar(plain_word(word));
    if (word != "-y") of_shard += option;  // a worker replaces an incomplete shard anyway
    of_join += option;
  }
  std::string of_audit = name(told.audit);
  if (!shell) of_audit = told.audit.empty() ? "" : ", \"--audit\", " + of_audit;
  constexpr std::size_t most_pods = 100;
  return fmt::format(fmt::runtime(script), fmt::arg("parts", parts), fmt::arg("last", parts - 1),
                     fmt::arg("parallelism", std::min(parts, most_pods)),
                     fmt::arg("dir", name(told.folder)), fmt::arg("output", name(told.output)),
                     fmt::arg("audit", of_audit), fmt::arg("shard_options", of_shard),
                     fmt::arg("join_options", of_join),
                     fmt::arg("mount", shell ? "" : yaml_scalar(mount_of(told.folder))));
}

}  // namespace vidconv
