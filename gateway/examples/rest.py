"""Converts one file over REST and waits for the result: rest.py IN TO OUT. Set FILEMILL_SERVER and FILEMILL_API_KEY."""
import os
import sys

import requests

server = os.environ.get("FILEMILL_SERVER", "http://127.0.0.1:8080")
source, to, target = sys.argv[1:]

session = requests.Session()
session.headers["Authorization"] = "Bearer " + os.environ["FILEMILL_API_KEY"]

with open(source, "rb") as file:
    answer = session.post(f"{server}/api/v1/convert", data={"to": to}, files={"file": file})
if not answer.ok:
    sys.exit(answer.text)
job = answer.json()["job"]
while job["status_url"]:
    # The server holds the answer until the job ends, for up to 30 seconds.
    job = session.get(job["status_url"], headers={"Prefer": "wait=30"}).json()["job"]
if job["status"] != "done":
    sys.exit(str(job["error"]))
with open(target, "wb") as file:
    file.write(session.get(job["download"]).content)
