/**
 * Converts one file over gRPC, as an internal client: `node grpc.ts IN TO OUT`. Uses the client generated from `proto/`.
 * FILEMILL_RPC is the URL of the RPC port, RPC_TOKEN its token (default: read from DATA_DIR), FILEMILL_API_KEY the account's key.
 */
import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import { createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { ConversionService } from "#gen/filemill/conversion/v1/conversion_pb.ts";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";

const { FILEMILL_RPC = "http://127.0.0.1:8081", DATA_DIR = "data", FILEMILL_API_KEY: key = "" } = process.env;
const { RPC_TOKEN = readFileSync(`${DATA_DIR}/rpc-token`, "utf8").trim() } = process.env;
const [input = "", to = "", output = ""] = process.argv.slice(2);

const withToken: Interceptor = (next) => (request) => {
  request.header.set("authorization", `Bearer ${RPC_TOKEN}`);
  return next(request);
};
const transport = createGrpcTransport({ baseUrl: FILEMILL_RPC, interceptors: [withToken] });
const { account } = await createClient(AccountService, transport).verifyKey({ key });

async function* request() {
  const start = { accountId: account?.id ?? "", to, fileName: basename(input) };
  yield { part: { case: "start" as const, value: start } };
  for await (const chunk of createReadStream(input)) yield { part: { case: "chunk" as const, value: chunk as Uint8Array<ArrayBuffer> } };
}

const result = createWriteStream(output);
for await (const { part } of createClient(ConversionService, transport).convert(request())) {
  if (part.case === "chunk") result.write(part.value);
  else if (part.case === "job" && part.value.state === JobState.FAILED) throw new Error(part.value.error?.message);
}
result.end();
