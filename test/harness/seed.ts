/** Makes generated values the same in every run of a day, so that a failure can be repeated, and others the next day (decision 93). */
import fc from "fast-check";

fc.configureGlobal({ seed: Math.floor(Date.now() / 86_400_000) });
