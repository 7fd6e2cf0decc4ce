import { type DestinationStream, type Logger, pino } from "pino";

/** Structured log: an event name with fields. Never file names, contents, keys or command lines. */
export type Log = {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** A log whose every line carries these fields. */
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

function wrap(logger: Logger): Log {
  return {
    debug: (event, fields) => logger.debug(fields ?? {}, event),
    info: (event, fields) => logger.info(fields ?? {}, event),
    warn: (event, fields) => logger.warn(fields ?? {}, event),
    error: (event, fields) => logger.error(fields ?? {}, event),
    with: (fields) => wrap(logger.child(fields)),
  };
}
