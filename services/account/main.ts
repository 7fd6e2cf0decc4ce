/** `npm run service -- account` */
import process from "node:process";
import { runAlone } from "#kit/run-alone.ts";
import { createAccountService } from "./index.ts";

await runAlone(process, "account", (floor) => createAccountService(floor, floor.settings));
