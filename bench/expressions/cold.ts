import { compile } from '../../src/language/compile.js';
import type { Job, JobResult } from '../job.js';
import { compare, type Effort } from '../measure.js';
import { celOnce, jsonataOnce } from './peers.js';
import { createScopes, type ItemScope } from './records.js';

/** A template without earlier use, in three languages. */
interface NewText {
  readonly iml: string;
  readonly cel: string;
  readonly jsonata: string;
}

/** Forms of templates. Texts differ by number, so caches do not help. */
const FORMS: readonly ((n: number) => NewText)[] = [
  (n) => ({
    iml: `{{ifempty(item.address.city; "nowhere ${n}")}}`,
    cel: `item.address.city != "" ? item.address.city : "nowhere ${n}"`,
    jsonata: `item.address.city != "" ? item.address.city : "nowhere ${n}"`,
  }),
  (n) => ({
    iml: `Order ${n} {{item.id}} of {{item.first}} in {{item.address.city}}.`,
    cel: `"Order ${n} " + string(item.id) + " of " + item.first + " in " + item.address.city + "."`,
    jsonata: `"Order ${n} " & item.id & " of " & item.first & " in " & item.address.city & "."`,
  }),
  (n) => ({ ...same(`item.price > item.cost * ${n}`), cel: `item.price > item.cost * ${n}.0` }),
  (n) => ({
    iml: `{{if(item.active; "yes ${n}"; item.last)}}`,
    cel: `item.active ? "yes ${n}" : item.last`,
    jsonata: `item.active ? "yes ${n}" : item.last`,
  }),
];

function same(expression: string): NewText {
  return { iml: `{{${expression}}}`, cel: expression, jsonata: expression };
}

/** Parses, compiles and evaluates each text once, compared with one pass over its characters. */
export const COLD_TEMPLATES: Job = {
  name: 'J1 cold: parse, compile and first evaluation of new text',
  floor: 14,
  target: 8,
  ours: 'iml',
  run: async (effort): Promise<JobResult> => ({
    races: [{ name: 'new text, compared with one pass over it', timings: await raceCold(effort) }],
  }),
};

/** Processes one text. */
type Step = (text: NewText, scope: ItemScope) => unknown;

const STEPS: Readonly<Record<string, Step>> = {
  pass: ({ iml }) => hash(iml),
  iml: ({ iml }, scope) => compile(iml)(scope),
  'cel-js': ({ cel }, scope) => celOnce(cel, scope),
  jsonata: ({ jsonata }, scope) => jsonataOnce(jsonata, scope),
};

/** Many short batches, because each text is new only once and a disturbed batch cannot be repeated. */
const TEXTS_PER_BATCH = 400;
const BATCHES_PER_ROUND = 8;

async function raceCold({ rounds }: Effort): Promise<ReturnType<typeof compare>> {
  const measured = Object.keys(STEPS).map((name) => ({ name, rounds: [] as number[] }));
  const scopes = createScopes(64);
  const batches = rounds * BATCHES_PER_ROUND;
  // Batches with a negative number only warm up the compilers.
  for (let batch = -batches; batch < batches; batch++) {
    const texts = createTexts(TEXTS_PER_BATCH, batch + batches);
    for (const { name, rounds: measuredNs } of measured) {
      // jsonata is slow, and its figure needs fewer batches.
      if (name === 'jsonata' && batch % BATCHES_PER_ROUND !== 0) continue;
      const ns = await timeBatch(STEPS[name] as Step, texts, scopes);
      if (batch >= 0) measuredNs.push(ns);
    }
  }
  return compare(measured);
}

async function timeBatch(
  step: Step,
  texts: readonly NewText[],
  scopes: readonly ItemScope[],
): Promise<number> {
  const startNs = process.hrtime.bigint();
  for (let index = 0; index < texts.length; index++) {
    const output = step(texts[index] as NewText, scopes[index % scopes.length] as ItemScope);
    if (output instanceof Promise) await output;
  }
  return Number(process.hrtime.bigint() - startNs) / texts.length;
}

function createTexts(count: number, round: number): readonly NewText[] {
  const texts = Array.from({ length: count }, (_, index) =>
    FORMS[index % FORMS.length]?.(round * 1_000_000 + index),
  );
  // JSON makes each text a flat string, like text that was read from a file.
  return JSON.parse(JSON.stringify(texts)) as readonly NewText[];
}

/** FNV-1a over UTF-16 units: about the minimum work on a text. */
function hash(text: string): number {
  let value = 0x811c_9dc5;
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x0100_0193);
  return value;
}
