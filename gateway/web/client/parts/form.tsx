import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { refusalText } from "#client/parts/language.tsx";
import { ApiError, messageOf } from "#client/server/api.ts";
import { Notice } from "./notice.tsx";

type FieldProps = {
  label: string;
  name: string;
  type?: "text" | "email" | "password" | "date" | "url";
  autocomplete?: string;
  hint?: string;
  problem?: string | undefined;
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  min?: string;
  /** What it holds at first. */
  value?: string;
  /** Told with every letter. */
  onText?(text: string): void;
};

/** A labelled field; what is wrong with it stands below and is read out with it. */
export function Field({ label, name, type = "text", hint, problem, autocomplete = "off", value, onText, ...rest }: FieldProps) {
  const id = useId();
  const below = problem ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        // The types tell apart which roles go with which type; none is given here.
        type={type as "text"}
        autocomplete={autocomplete}
        aria-invalid={problem !== undefined}
        aria-describedby={below === undefined ? undefined : `${id}-below`}
        {...(value === undefined ? {} : { defaultValue: value })}
        {...(onText === undefined
          ? {}
          : { onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onText(currentTarget.value) })}
        {...rest}
      />
      {below !== undefined && (
        <p id={`${id}-below`} class={problem === undefined ? "hint" : "hint hint-bad"}>
          {below}
        </p>
      )}
    </div>
  );
}

type Sending = { readonly busy: boolean; readonly error: unknown; run(act: () => Promise<void>): Promise<void> };

/** Runs one thing at a time and keeps what went wrong. */
export function useSending(): Sending {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (act: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await act();
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run };
}

/** What the server says is wrong with one field. */
export function problemWith(error: unknown, field: string): string | undefined {
  return error instanceof ApiError && error.details.field === field ? refusalText(error) : undefined;
}

type FormProps = {
  sending: Sending;
  onSend(fields: Readonly<Record<string, string>>): Promise<void>;
  /** The fields that show their own problem. */
  fields?: readonly string[];
  children: ComponentChildren;
};

export function Form({ sending, onSend, fields = [], children }: FormProps) {
  const { error } = sending;
  const isShown = fields.some((field) => problemWith(error, field) !== undefined);
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        const entries = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]);
        void sending.run(() => onSend(Object.fromEntries(entries)));
      }}
    >
      {children}
      {error !== undefined && !isShown && <Notice tone="bad">{messageOf(error)}</Notice>}
    </form>
  );
}
