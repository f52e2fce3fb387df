"""Print the commands of the README's N-th block of shell commands (N from 1)."""

import re
import sys
from pathlib import Path

blocks = re.findall(r"```sh\n(.*?)```", Path("README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
print(blocks[int(sys.argv[1]) - 1], end="")
