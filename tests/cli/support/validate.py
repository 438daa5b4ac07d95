"""Checks that each line of standard input is JSON that matches the JSON Schema named on the command line.

Exits with 77 where the module jsonschema is missing.
"""

import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    lines = [line for line in sys.stdin if line.strip()]
    wrong = [error.message for line in lines for error in validator.iter_errors(json.loads(line))]
    if wrong or not lines:
        sys.exit("\n".join(wrong) or "there is nothing to validate")


main()
