// Progress messages of the setup. They go to standard error, so that standard output carries only the command's own output.
// @ts-check

const startedMs = Date.now();

/** @param {string} text */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/**
 * Prints the current state every few seconds until `stop`.
 * @param {string} title
 * @param {number} everyMs
 */
export function openProgress(title, everyMs = 5000) {
  let detail = "";
  const line = () => say(`  [${elapsed()}] ${title}${detail === "" ? " ..." : `: ${detail}`}`);
  line();
  const timer = setInterval(line, everyMs);
  return {
    /** @param {string | undefined} text undefined: unchanged */
    set(text) {
      detail = text ?? detail;
    },
    /** @param {string} text */
    stop(text) {
      clearInterval(timer);
      say(`  [${elapsed()}] ${title}: ${text}`);
    },
  };
}

function elapsed() {
  return `${((Date.now() - startedMs) / 1000).toFixed(0).padStart(3)} s`;
}
