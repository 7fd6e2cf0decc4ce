/** gRPC server reflection, v1 and v1alpha (https://github.com/grpc/grpc/blob/master/doc/server-reflection.md). */
import { type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import { ServerReflection as ReflectionV1, type ServerReflectionRequest as RequestV1 } from "#gen/grpc/reflection/v1/reflection_pb.ts";
import {
  ServerReflection as ReflectionV1Alpha,
  type ServerReflectionRequest as RequestV1Alpha,
} from "#gen/grpc/reflection/v1alpha/reflection_pb.ts";

type Question = { readonly messageRequest: RequestV1["messageRequest"] | RequestV1Alpha["messageRequest"] };

export function addReflection(router: ConnectRouter, services: readonly DescService[]): void {
  const index = indexOf(services);
  router.service(ReflectionV1, {
    async *serverReflectionInfo(requests) {
      for await (const request of requests)
        yield { validHost: request.host, originalRequest: request, messageResponse: answer(index, request) };
    },
  });
  router.service(ReflectionV1Alpha, {
    async *serverReflectionInfo(requests) {
      for await (const request of requests)
        yield { validHost: request.host, originalRequest: request, messageResponse: answer(index, request) };
    },
  });
}

type Index = { readonly services: readonly string[]; readonly byFile: Map<string, DescFile>; readonly bySymbol: Map<string, DescFile> };

function indexOf(services: readonly DescService[]): Index {
  const byFile = new Map<string, DescFile>();
  const bySymbol = new Map<string, DescFile>();
  const visit = (file: DescFile): void => {
    if (byFile.has(file.proto.name)) return;
    byFile.set(file.proto.name, file);
    // Includes nested types.
    for (const type of nestedTypes(file)) bySymbol.set(type.typeName, file);
    for (const service of file.services) for (const method of service.methods) bySymbol.set(`${service.typeName}.${method.name}`, file);
    file.dependencies.forEach(visit);
  };
  for (const service of services) visit(service.file);
  return { services: services.map((service) => service.typeName), byFile, bySymbol };
}

/** The file itself first, then everything it imports, so that a client can link them without another request. */
function closureOf(file: DescFile): Uint8Array[] {
  const seen = new Map<string, Uint8Array>();
  const visit = (next: DescFile): void => {
    if (seen.has(next.proto.name)) return;
    seen.set(next.proto.name, toBinary(FileDescriptorProtoSchema, next.proto));
    next.dependencies.forEach(visit);
  };
  visit(file);
  return [...seen.values()];
}

function answer(index: Index, { messageRequest: question }: Question) {
  const notFound = { case: "errorResponse" as const, value: { errorCode: Code.NotFound, errorMessage: "not found" } };
  const fileAnswer = (file: DescFile | undefined) =>
    file === undefined ? notFound : { case: "fileDescriptorResponse" as const, value: { fileDescriptorProto: closureOf(file) } };
  switch (question.case) {
    case "listServices":
      return { case: "listServicesResponse" as const, value: { service: index.services.map((name) => ({ name })) } };
    case "fileByFilename":
      return fileAnswer(index.byFile.get(question.value));
    case "fileContainingSymbol":
      return fileAnswer(index.bySymbol.get(question.value));
    case "allExtensionNumbersOfType":
    case "fileContainingExtension":
      return notFound;
    default:
      return { case: "errorResponse" as const, value: { errorCode: Code.InvalidArgument, errorMessage: "empty request" } };
  }
}
