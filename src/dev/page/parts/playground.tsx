import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ShownValue } from '../../protocol.js';
import { post } from '../state/api.js';
import { sayError } from '../state/store.js';
import { Editor } from './editor.js';

interface PlaygroundProps {
  readonly run: string;
  readonly seq: number;
  readonly item: number;
}

const WAIT_MS = 200;

/** Evaluates what somebody types with the names of this point of the run, by the engine. */
export function Playground({ run, seq, item }: PlaygroundProps): JSX.Element {
  const result = useSignal<ShownValue | undefined>(undefined);
  const asked = useSignal(0);
  const evaluate = (expression: string): void => {
    const number = asked.peek() + 1;
    asked.value = number;
    setTimeout(() => {
      if (asked.peek() !== number) return;
      if (expression.trim() === '') {
        result.value = undefined;
        return;
      }
      post<ShownValue>(`runs/${run}/evaluate`, { expression, seq, item }).then((value) => {
        if (asked.peek() === number) result.value = value;
      }, sayError);
    }, WAIT_MS);
  };
  return (
    <section class="playground" aria-label="Playground">
      <h2>Try an expression here</h2>
      <Editor
        label="Expression"
        initial=""
        placeholder="body.data[1].id, or a template with {{ }}"
        onChange={evaluate}
      />
      <output class={`result ${result.value?.kind ?? ''}`} aria-live="polite">
        {result.value === undefined
          ? 'Names are those of this moment: body, temp, parameters, item, …'
          : result.value.kind === 'nothing'
            ? 'nothing (undefined)'
            : result.value.text}
      </output>
    </section>
  );
}
