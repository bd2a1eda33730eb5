// The button. `tone` says what pressing means.
import type { ButtonHTMLAttributes } from "react";
import styles from "./button.module.css";
import { Icon, type IconName } from "./icon.tsx";

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className"> & {
  tone?: "primary" | "plain" | "quiet" | "danger";
  size?: "normal" | "large" | "icon";
  icon?: IconName;
};

export function Button({
  tone = "plain",
  size = "normal",
  icon,
  children,
  type = "button",
  ...rest
}: ButtonProps) {
  return (
    <button {...rest} type={type} className={styles.button} data-tone={tone} data-size={size}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

type IconButtonProps = Omit<ButtonProps, "size" | "aria-label"> & { icon: IconName; label: string };

/** A button that shows only its icon; `label` is its name. */
export function IconButton({ label, tone = "quiet", ...rest }: IconButtonProps) {
  return <Button {...rest} tone={tone} size="icon" aria-label={label} />;
}
