/** `npm run service -- webhook` */
import process from "node:process";
import { runAlone } from "#kit/run-alone.ts";
import { createWebhookService } from "./index.ts";

await runAlone(process, "webhook", (floor) => createWebhookService(floor, floor.settings));
