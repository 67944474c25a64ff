import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type {
  MomentName,
  RunDetail,
  RunKind,
  ShownMoment,
  ShownMoments,
  ShownValue,
} from '../../protocol.js';
import { post } from '../state/api.js';
import { count } from '../state/format.js';
import { showError } from '../state/store.js';

/** The evaluated expression, typed or copied from the app. */
export interface Tried {
  readonly expression: string;
  /** Default: the moment with the most variables. */
  readonly moment: MomentName | undefined;
  /** Incremented when the text is replaced from outside. */
  readonly version: number;
}

interface PlaygroundProps {
  readonly run: Pick<RunDetail, 'id' | 'kind'>;
  readonly seq: number;
  /** From 0. */
  readonly item: Signal<number>;
  readonly step: ShownMoments;
  readonly tried: Signal<Tried>;
}

const TITLES: Readonly<Record<MomentName, string>> = {
  request: 'before the request',
  answer: 'after the response',
  item: 'in an item',
  next: 'before the next page',
};

/** Label of a moment. */
export function nameMoment(name: MomentName, kind: RunKind): string {
  return kind === 'webhook' && name === 'answer' ? 'with the call' : TITLES[name];
}

const WAIT_MS = 200;

/** Evaluates an expression with the variables of a moment, in the engine. */
export function Playground({ run, seq, item, step, tried }: PlaygroundProps): JSX.Element {
  const result = useSignal<ShownValue | undefined>(undefined);
  const { expression, moment: wanted, version } = tried.value;
  const moment = findMoment(step, wanted);
  useEffect(() => {
    if (expression.trim() === '' || moment === undefined) {
      result.value = undefined;
      return undefined;
    }
    let isCurrent = true;
    const evaluate = (): void => {
      const at = { expression, seq, item: item.value, moment: moment.name };
      post<ShownValue>(`runs/${run.id}/evaluate`, at).then((value) => {
        if (isCurrent) result.value = value;
      }, showError);
    };
    const timer = setTimeout(evaluate, WAIT_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [run.id, seq, item.value, moment?.name, expression]);
  return (
    <section class="playground" aria-label="Playground">
      <h2>Try an expression</h2>
      <Moments
        kind={run.kind}
        step={step}
        current={moment?.name}
        item={item}
        onChoose={(name) => {
          tried.value = { ...tried.value, moment: name };
        }}
      />
      <Editor
        key={version}
        label="Expression"
        initial={expression}
        takesFocus={version > 0}
        placeholder="body.data[1].id, or a template with {{ }}"
        onChange={(text) => {
          tried.value = { ...tried.value, expression: text };
        }}
      />
      <output class={`result ${result.value?.kind ?? ''}`} aria-live="polite">
        {describeResult(result.value)}
      </output>
      {moment !== undefined && (
        <NameList
          moment={moment}
          onChoose={(name) => {
            tried.value = { expression: name, moment: moment.name, version: version + 1 };
          }}
        />
      )}
    </section>
  );
}

/** Falls back to the moment with the most variables. */
function findMoment({ moments }: ShownMoments, wanted: MomentName | undefined): ShownMoment | undefined {
  return moments.find(({ name }) => name === wanted) ?? moments.findLast(({ name }) => name !== 'next');
}

function describeResult(result: ShownValue | undefined): string {
  if (result === undefined) return 'The value appears here.';
  const { kind, text, isCut, hint } = result;
  const value = kind === 'nothing' ? 'nothing (undefined)' : `${text}${isCut ? ' …' : ''}`;
  return hint === undefined ? value : `${value}\n${hint}`;
}

interface MomentsProps {
  readonly kind: RunKind;
  readonly step: ShownMoments;
  readonly current: MomentName | undefined;
  readonly item: Signal<number>;
  readonly onChoose: (name: MomentName) => void;
}

/** Moments of the selected step. */
function Moments({ kind, step: { moments, items }, current, item, onChoose }: MomentsProps): JSX.Element {
  return (
    <fieldset class="moments">
      <legend>Variables</legend>
      {moments.map(({ name }) => (
        <label key={name} class="moment">
          <input type="radio" name="moment" checked={name === current} onChange={() => onChoose(name)} />
          {nameMoment(name, kind)}
        </label>
      ))}
      {items > 1 && (
        <label class="item-choice">
          <code>item</code> is{' '}
          <input
            type="number"
            min={1}
            max={items}
            value={item.value + 1}
            onInput={(event) => {
              const number = Number(event.currentTarget.value);
              if (number >= 1 && number <= items) item.value = number - 1;
            }}
          />{' '}
          <span class="muted">of {count(items, 'item')}</span>
        </label>
      )}
    </fieldset>
  );
}

interface NameListProps {
  readonly moment: ShownMoment;
  readonly onChoose: (name: string) => void;
}

/** Lists the available variables. */
function NameList({ moment: { names, wasReached }, onChoose }: NameListProps): JSX.Element {
  return (
    <>
      {!wasReached && (
        <p class="muted hint-line">No further page was requested. These would be its variables.</p>
      )}
      <ul class="names" aria-label="Variables">
        {names.map(({ name, text }) => (
          <li key={name}>
            <button type="button" class="name-chip" onClick={() => onChoose(name)}>
              <code>{name}</code> <span class="muted">{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

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
    }, showError);
    return () => {
      isGone = true;
      close?.();
    };
  }, []);
  return <div class={`editor ${language ?? 'line'}`} ref={box} />;
}
