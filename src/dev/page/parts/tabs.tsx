import type { JSX } from 'preact';

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly (readonly [name: string, title: string])[];
  readonly current: string;
  readonly onSelect: (name: string) => void;
}

/** Tabs with arrow key navigation. */
export function Tabs({ label, tabs, current, onSelect }: TabsProps): JSX.Element {
  const walk = (event: KeyboardEvent): void => {
    const change = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = tabs.findIndex(([name]) => name === current);
    const next = change === undefined ? undefined : tabs[(at + change + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next[0]);
    const list = event.currentTarget as HTMLElement;
    list.querySelectorAll<HTMLElement>('[role="tab"]')[tabs.indexOf(next)]?.focus();
  };
  return (
    <div class="tabs" role="tablist" tabIndex={-1} aria-label={label} onKeyDown={walk}>
      {tabs.map(([name, title]) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === current}
          tabIndex={name === current ? 0 : -1}
          onClick={() => onSelect(name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
