import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { sayError } from '../state/store.js';

interface CopyButtonProps {
  readonly text: () => string | Promise<string>;
  /** What a screen reader says, where several buttons show the same. Default: what the button shows. */
  readonly label?: string;
  /** What the button shows. Default: Copy. */
  readonly children?: string;
}

/** Copies a text, and says that it did. */
export function CopyButton({ text, label, children = 'Copy' }: CopyButtonProps): JSX.Element {
  const isDone = useSignal(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await text());
      isDone.value = true;
      setTimeout(() => {
        isDone.value = false;
      }, 1500);
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <button type="button" class="link" aria-label={label} onClick={copy}>
      {isDone.value ? 'Copied' : children}
    </button>
  );
}
