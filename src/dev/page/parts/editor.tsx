import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { sayError } from '../state/store.js';

interface EditorProps {
  readonly label: string;
  readonly initial: string;
  readonly language?: 'json';
  readonly placeholder?: string;
  /** Whether to focus the editor at once. */
  readonly takesFocus?: boolean;
  readonly onChange: (text: string) => void;
}

/** A text editor, loaded when the first one opens. */
export function Editor({
  label,
  initial,
  language,
  placeholder = '',
  takesFocus = false,
  onChange,
}: EditorProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const change = useRef(onChange);
  change.current = onChange;
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    let close: (() => void) | undefined;
    let isGone = false;
    import('./code-editor.js').then(({ openEditor }) => {
      if (isGone) return;
      close = openEditor(current, {
        label,
        initial,
        language,
        placeholder,
        takesFocus,
        onChange: (text) => change.current(text),
      });
    }, sayError);
    return () => {
      isGone = true;
      close?.();
    };
  }, []);
  return <div class={`editor ${language ?? 'line'}`} ref={box} />;
}
