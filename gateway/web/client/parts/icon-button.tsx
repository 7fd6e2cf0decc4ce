import { Icon, type IconName } from "./icons.tsx";

type IconButtonProps = { icon: IconName; label: string; onClick(): void; title?: string; class?: string; disabled?: boolean };

/** A button that shows only an icon. */
export function IconButton({ icon, label, class: more = "", ...rest }: IconButtonProps) {
  return (
    <button type="button" class={`icon-button ${more}`.trim()} aria-label={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
