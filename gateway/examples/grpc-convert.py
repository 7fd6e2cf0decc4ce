"""Converts one file over gRPC, as an internal client: grpc-convert.py IN TO OUT. Uses the client generated from proto/.

PYTHONPATH must contain gen/python. FILEMILL_RPC is host:port of the RPC port, or unix:PATH of its socket. RPC_TOKEN is its token
(default: read from DATA_DIR), FILEMILL_API_KEY the account's key.
"""
import os
import pathlib
import sys

import grpc

from filemill.account.v1 import account_pb2, account_pb2_grpc
from filemill.conversion.v1 import conversion_pb2, conversion_pb2_grpc
from filemill.job.v1 import job_pb2

source, to, target = sys.argv[1:]
token_file = pathlib.Path(os.environ.get("DATA_DIR", "data"), "rpc-token")
token = os.environ.get("RPC_TOKEN") or token_file.read_text().strip()
metadata = [("authorization", f"Bearer {token}")]


def request(account_id):
    start = conversion_pb2.ConvertStart(account_id=account_id, to=to, file_name=os.path.basename(source))
    yield conversion_pb2.ConvertRequest(start=start)
    with open(source, "rb") as file:
        while chunk := file.read(256 * 1024):
            yield conversion_pb2.ConvertRequest(chunk=chunk)


with grpc.insecure_channel(os.environ.get("FILEMILL_RPC", "127.0.0.1:8081")) as channel:
    accounts = account_pb2_grpc.AccountServiceStub(channel)
    verified = accounts.VerifyKey(account_pb2.VerifyKeyRequest(key=os.environ["FILEMILL_API_KEY"]), metadata=metadata)
    conversion = conversion_pb2_grpc.ConversionServiceStub(channel)
    with open(target, "wb") as file:
        for answer in conversion.Convert(request(verified.account.id), metadata=metadata):
            if answer.WhichOneof("part") == "chunk":
                file.write(answer.chunk)
            elif answer.job.state == job_pb2.JOB_STATE_FAILED:
                sys.exit(answer.job.error.message)
