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
  /** Initial value. */
  value?: string;
  /** Called on every keystroke. */
  onText?(text: string): void;
};

/** A labelled field. Its error is shown below and is read out with the field. */
export function Field({ label, name, type = "text", hint, problem, autocomplete = "off", value, onText, ...rest }: FieldProps) {
  const id = useId();
  const below = problem ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        // The typings allow only certain roles for each type. No role is set here.
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

/** Runs one action and keeps its error. */
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

/** The server's error for one field. */
export function problemWith(error: unknown, field: string): string | undefined {
  return error instanceof ApiError && error.details.field === field ? refusalText(error) : undefined;
}

type FormProps = {
  sending: Sending;
  onSend(fields: Readonly<Record<string, string>>): Promise<void>;
  /** Fields that show their own error. */
  fields?: readonly string[];
  /** Text of the button at its foot, if that is the only one. */
  action?: string;
  children: ComponentChildren;
};

export function Form({ sending, onSend, fields = [], action, children }: FormProps) {
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
      {action !== undefined && (
        <div class="dialog-foot">
          <button type="submit" class="button button-primary" disabled={sending.busy}>
            {action}
          </button>
        </div>
      )}
      {error !== undefined && !isShown && <Notice tone="bad">{messageOf(error)}</Notice>}
    </form>
  );
}
