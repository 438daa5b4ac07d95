"""Makes the auditwheel installed beside this Python bundle every library but glibc's and GCC's."""
import json
from pathlib import Path

import auditwheel

KEPT = ("libc.", "libm.", "libdl.", "librt.", "libpthread.", "libresolv.", "libutil.", "libnsl.", "libgcc_s.", "libstdc++.",
        "libatomic.", "ld-")

policies = Path(auditwheel.__file__).parent / "policy" / "manylinux-policy.json"
rules = json.loads(policies.read_text(encoding="utf-8"))
for rule in rules:
    rule["lib_whitelist"] = [name for name in rule["lib_whitelist"] if name.startswith(KEPT)]
policies.write_text(json.dumps(rules), encoding="utf-8")
