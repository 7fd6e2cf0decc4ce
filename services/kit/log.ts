import { type DestinationStream, type Logger, pino } from "pino";

/** Structured log: an event name with fields. Never file names, contents, keys or command lines. */
export type Log = {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** A log that adds these fields to every line. */
  with(fields: LogFields): Log;
};
export type LogFields = Readonly<Record<string, unknown>>;

/** JSON lines on the given stream, standard error by default. */
export function openLog(level: string, destination: DestinationStream = pino.destination(2)): Log {
  return wrap(
    pino(
      { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
      destination,
    ),
  );
}

/** @param common - Fields of every line, each once: many readers of JSON refuse an object that has a key twice. */
function wrap(root: Logger, common: LogFields = {}): Log {
  let child: Logger | undefined;
  const line = (level: "debug" | "info" | "warn" | "error", event: string, fields: LogFields | undefined): void => {
    if (!root.isLevelEnabled(level)) return;
    // Serialises the common fields only when the first line is written.
    child ??= root.child(common);
    child[level](fields ?? {}, event);
  };
  return {
    debug: (event, fields) => line("debug", event, fields),
    info: (event, fields) => line("info", event, fields),
    warn: (event, fields) => line("warn", event, fields),
    error: (event, fields) => line("error", event, fields),
    with: (fields) => wrap(root, { ...common, ...fields }),
  };
}
