// Form controls with their labels. Handlers get values instead of events.
import type { ComponentProps, ReactNode } from "react";
import styles from "./form.module.css";

type FormProps = Omit<ComponentProps<"form">, "onSubmit"> & { onSubmit: () => void };

export function Form({ onSubmit, ...rest }: FormProps) {
  return (
    <form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    />
  );
}

type InputProps = Omit<ComponentProps<"input">, "onChange">;
type TextFieldProps = InputProps & {
  label: ReactNode;
  value: string;
  rows?: number; // a text area of so many lines
  wrap?: "off";
  onChange: (value: string) => void;
};

export function TextField({ label, rows, onChange, ...rest }: TextFieldProps) {
  return (
    <label className={styles.field}>
      <span>{label}</span>
      {rows === undefined ? (
        <input {...rest} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <textarea
          {...(rest as object)}
          rows={rows}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </label>
  );
}

type CheckboxProps = InputProps & { children: ReactNode; onChange: (checked: boolean) => void };

export function Checkbox({ children, onChange, ...rest }: CheckboxProps) {
  return (
    <label className={styles.check}>
      <input {...rest} type="checkbox" onChange={(event) => onChange(event.target.checked)} />
      {children}
    </label>
  );
}

type SelectProps<Value extends string> = Omit<ComponentProps<"select">, "onChange" | "value"> & {
  value: Value;
  values: readonly Value[];
  labelOf?: (value: Value) => ReactNode;
  onChange: (value: Value) => void;
};

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { values, labelOf = (value) => value, onChange, ...rest } = props;
  return (
    <select {...rest} onChange={(event) => onChange(event.target.value as Value)}>
      {values.map((value) => (
        <option key={value} value={value}>
          {labelOf(value)}
        </option>
      ))}
    </select>
  );
}
