/** What `npm start` prints once everything is up. */
export function welcomeText(running: { restUrl: string; rpcUrl: string; firstKey: string | undefined }): string {
  const key = running.firstKey ?? "$KEY";
  const lines = [
    "",
    `Filemill is ready.   ${running.restUrl}/`,
    `API reference        ${running.restUrl}/docs`,
    `Formats and routes   ${running.restUrl}/api/v1/formats`,
    `Internal services    ${running.rpcUrl} (Connect, gRPC, gRPC-Web)`,
    "",
  ];
  if (running.firstKey !== undefined) {
    lines.push(
      "API key of the local Plus account (shown this once; make more with `npm run -s filemill -- keys create EMAIL`):",
      "",
      `  ${running.firstKey}`,
      "",
    );
  }
  lines.push("Try it:", "", `  curl -H "Authorization: Bearer ${key}" -F to=webp -F file=@photo.jpg ${running.restUrl}/api/v1/convert`, "");
  return lines.join("\n");
}
