/** Sections of the API reference that are not about single endpoints. */
import { deliveryFailures } from "#contract/delivery-json.ts";
import { type Examples, exampleGroup } from "./examples.ts";
import { type Html, html } from "./html.ts";

export function examplesGuide(examples: Examples, baseUrl: string): Html {
  return html`<section aria-labelledby="examples">
<h2 id="examples">Examples</h2>
<p>Complete programs that convert one file, wait if the conversion takes longer, and save the result. Save one, set your key, and run it with
the file, the target format and the path of the result.</p>
<pre tabindex="0"><code>export FILEMILL_SERVER=${baseUrl}
export FILEMILL_API_KEY=fm_…
bash rest.sh photo.jpg webp photo.webp       # or: node rest.ts …, python3 rest.py …</code></pre>
${exampleGroup("rest", examples, [
  ["rest.sh", "curl"],
  ["rest.ts", "TypeScript"],
  ["rest.py", "Python"],
  ["n8n.json", "n8n"],
])}
<p class="quiet">In n8n, import <code>n8n.json</code> (Workflow, Import from file) and choose a Bearer Auth credential with your key.</p>
</section>`;
}

export function webhookGuide(examples: Examples): Html {
  return html`<section aria-labelledby="webhook-receiver">
<h2 id="webhook-receiver">Receiving webhooks</h2>
<p>Add the address of your server on the <a href="/automate">Automate page</a> or by <a href="#createWebhook"><code>POST /api/v1/webhooks</code></a>, and keep the
secret that is shown. When a job ends, <code>{ "type": "job.done", "timestamp", "data": { "job" } }</code> is posted to it, or
<code>job.failed</code>. The job looks as in <a href="#getJob"><code>GET /api/v1/jobs/{id}</code></a>.</p>
<ul class="points">
<li>Messages are signed according to <strong>Standard Webhooks 1.0</strong>, with the headers <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code>. Verify the body as received, before you parse it.</li>
<li>Your server needs a public address and must accept https on port 443. The operator may allow other ports.</li>
<li>Answer 2xx within 15 seconds. Otherwise the message is sent again, at growing intervals, for several days. <code>410</code> stops the retries.</li>
<li>A message can arrive twice. Ignore one whose <code>webhook-id</code> you have seen.</li>
<li>A new secret takes effect at once. For 24 hours, messages are also signed with the old one.</li>
</ul>
${exampleGroup("webhook", examples, [
  ["webhook.ts", "TypeScript"],
  ["webhook.py", "Python"],
])}
</section>`;
}

export function deliveryGuide(): Html {
  const codes = Object.keys(deliveryFailures).map((code, index) => html`${index > 0 ? ", " : ""}<code>${code}</code>`);
  return html`<section aria-labelledby="delivery">
<h2 id="delivery">Delivering results</h2>
<p>In requests with a JSON body (<a href="#convertUrl"><code>POST /api/v1/convert-url</code></a>, <code>POST /api/v1/uploads/{id}/convert</code>), <code>deliverTo</code>
names an https address that the result is uploaded to, for example a pre-signed URL of S3, Google Cloud Storage or Azure. Agents pass it as <code>deliver_to</code> to <code>request_upload</code>.</p>
<pre tabindex="0"><code>{ "url": "https://example.org/photo.png", "to": "webp", "deliverTo": "https://bucket.s3.amazonaws.com/photo.webp?X-Amz-Signature=…" }</code></pre>
<ul class="points">
<li>The result is sent by <code>PUT</code> with its <code>Content-Type</code> and <code>Content-Length</code>. The rules of webhooks apply: https, a public address, and a port that the operator allows.</li>
<li>If there is no answer, or <code>408</code>, <code>425</code>, <code>429</code> or <code>5xx</code>, the delivery is retried like a webhook while the result is kept. Any other answer except <code>2xx</code> ends it, including redirects.</li>
<li><code>delivery</code> in the job shows the state: <code>pending</code>, <code>delivered</code> or <code>failed</code>, with the last status and a code for the failure: ${codes}.</li>
<li>The address is deleted when the delivery has ended, and is never logged. The result can also be downloaded.</li>
</ul>
</section>`;
}

export function grpcGuide(examples: Examples): Html {
  return html`<section aria-labelledby="grpc">
<h2 id="grpc">gRPC clients</h2>
<p>Services inside your network speak gRPC, gRPC-Web or Connect to the RPC port, which is printed at the start. It offers streamed uploads and downloads,
job updates, the catalogue and accounts. The interface is in <code>proto/</code>. The generated clients are in <code>gen/</code> for TypeScript (with
<code>@connectrpc/connect</code>) and in <code>gen/python</code> (with <code>grpcio</code>). Copy what you need, or generate your own: the server supports reflection.
Every call needs the token from the file <code>rpc-token</code> in <code>DATA_DIR</code>, or from <code>RPC_TOKEN</code>. On the same host, the Unix socket
<code>rpc.sock</code> in <code>DATA_DIR</code> offers the same.</p>
<pre tabindex="0"><code>export FILEMILL_RPC=http://127.0.0.1:8081       # Python, Go: 127.0.0.1:8081
export FILEMILL_API_KEY=fm_…                    # whose job it is
export DATA_DIR=data                            # of the service; or RPC_TOKEN
node gateway/examples/grpc.ts report.docx pdf report.pdf
PYTHONPATH=gen/python python3 gateway/examples/grpc-convert.py report.docx pdf report.pdf
buf generate --template gateway/examples/buf.gen.go.yaml && go run gateway/examples/grpc-convert.go report.docx pdf report.pdf</code></pre>
${exampleGroup("grpc", examples, [
  ["grpc.ts", "TypeScript"],
  ["grpc-convert.py", "Python"],
  ["grpc-convert.go", "Go"],
])}
</section>`;
}
