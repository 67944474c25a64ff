import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { sayError } from '../state/store.js';

interface CopyButtonProps {
  readonly text: () => string | Promise<string>;
  /** Accessible name, if several buttons show the same text. Default: the text. */
  readonly label?: string;
  /** Text of the button. Default: Copy. */
  readonly children?: string;
}

/** Copies text and confirms it. */
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
