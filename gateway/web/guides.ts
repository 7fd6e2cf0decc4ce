/** Sections of the API reference that are not about single endpoints. */
import { deliveryFailures } from "#contract/delivery-json.ts";
import { type Examples, exampleGroup } from "./examples.ts";
import { type Html, html } from "./html.ts";

export function examplesGuide(examples: Examples, baseUrl: string): Html {
  return html`<section aria-labelledby="examples">
<h2 id="examples">Examples</h2>
<p>Whole programs: convert one file, wait where it takes longer, save the result. Save one, name your key, and run it with the file, the
target and where the result goes.</p>
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
secret that you are shown. When a job ends, <code>{ "type": "job.done", "timestamp", "data": { "job" } }</code> is posted there, or
<code>job.failed</code>, the job being as <a href="#getJob">its own address</a> shows it.</p>
<ul class="points">
<li>Messages are signed as <strong>Standard Webhooks 1.0</strong> says, in <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code>. Verify the body as it came, before it is parsed.</li>
<li>Your server needs a public address and answers https on port 443; the operator may allow other ports.</li>
<li>Answer 2xx within 15 seconds. Anything else is sent again, ever less often, for some days; <code>410</code> ends it.</li>
<li>A message may come twice: remember its <code>webhook-id</code>.</li>
<li>A renewed secret signs at once; for 24 hours the old one signs too.</li>
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
<h2 id="delivery">Results put where they belong</h2>
<p>Where a conversion is asked for in JSON (<a href="#convertUrl"><code>POST /api/v1/convert-url</code></a>, <code>POST /api/v1/uploads/{id}/convert</code>), <code>deliverTo</code>
names an https address to which the result is put, such as a pre-signed one of S3, Google Cloud Storage or Azure. Agents name it as <code>deliver_to</code> when they ask for an upload.</p>
<pre tabindex="0"><code>{ "url": "https://example.org/photo.png", "to": "webp", "deliverTo": "https://bucket.s3.amazonaws.com/photo.webp?X-Amz-Signature=…" }</code></pre>
<ul class="points">
<li>The result comes by <code>PUT</code> with its <code>Content-Type</code> and <code>Content-Length</code>, from where webhooks come and within the same bounds: https, a public address, the ports that the operator allows.</li>
<li>No answer, <code>408</code>, <code>425</code>, <code>429</code> and <code>5xx</code> are tried again as webhooks are, as long as the result is kept. Anything else but <code>2xx</code> ends it, redirects too.</li>
<li><code>delivery</code> in the job says how far it is: <code>pending</code>, <code>delivered</code> or <code>failed</code>, with the last status and, as a code, what went wrong: ${codes}.</li>
<li>The address is forgotten when the delivery has ended, and is in no log. The result can be downloaded, too.</li>
</ul>
</section>`;
}

export function grpcGuide(examples: Examples): Html {
  return html`<section aria-labelledby="grpc">
<h2 id="grpc">gRPC clients</h2>
<p>Services inside your network speak gRPC, gRPC-Web or Connect to the RPC port that is printed at the start: streamed upload and download,
jobs as they change, the catalogue, accounts. The interface is in <code>proto/</code>; what is generated from it is in <code>gen/</code> for TypeScript (with
<code>@connectrpc/connect</code>) and in <code>gen/python</code> (with <code>grpcio</code>). Copy what you need, or generate your own: the server also answers reflection.
Every call carries the token that lies in <code>rpc-token</code> under <code>DATA_DIR</code>, or that <code>RPC_TOKEN</code> sets. On the same host the Unix socket
<code>rpc.sock</code> beside it serves the same.</p>
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
