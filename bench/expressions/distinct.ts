import { compile } from '../../src/language/compile.js';
import type { Job, JobResult } from '../job.js';
import { type Contestant, race } from '../measure.js';
import { assertSameOutputs } from '../same-outputs.js';
import { celContestant, jsonataContestant, logicContestant, logicPath } from './peers.js';
import { createItems, type Item } from './records.js';

type Groups = Readonly<Record<string, Item>>;

/** A form of template. `$` stands for the name of a group. */
interface Form {
  readonly native: string;
  readonly iml: string;
  readonly cel: string;
  readonly jsonata: string;
  /** JsonLogic as JSON text. */
  readonly logic: string;
}

const at = (name: string): object => logicPath(`$.${name}`);
const json = JSON.stringify;

const FORMS: readonly Form[] = [
  { ...same('$.first'), logic: json(at('first')) },
  { ...same('$.address.zip'), logic: json(at('address.zip')) },
  {
    native: '$.first + " " + $.last',
    iml: '{{$.first}} {{$.last}}',
    cel: '$.first + " " + $.last',
    jsonata: '$.first & " " & $.last',
    logic: json({ cat: [at('first'), ' ', at('last')] }),
  },
  {
    native: '"/items/" + $.id',
    iml: '/items/{{$.id}}',
    cel: '"/items/" + string($.id)',
    jsonata: '"/items/" & $.id',
    logic: json({ cat: ['/items/', at('id')] }),
  },
  {
    native: '"#" + $.id + " (" + $.address.city + ")"',
    iml: '#{{$.id}} ({{$.address.city}})',
    cel: '"#" + string($.id) + " (" + $.address.city + ")"',
    jsonata: '"#" & $.id & " (" & $.address.city & ")"',
    logic: json({ cat: ['#', at('id'), ' (', at('address.city'), ')'] }),
  },
  { ...same('$.price - $.cost'), logic: json({ '-': [at('price'), at('cost')] }) },
  {
    ...same('$.price > $.cost * 50'),
    cel: '$.price > $.cost * 50.0',
    logic: json({ '>': [at('price'), { '*': [at('cost'), 50] }] }),
  },
  {
    ...same('$.active ? $.first : $.last'),
    iml: '{{if($.active; $.first; $.last)}}',
    logic: json({ if: [at('active'), at('first'), at('last')] }),
  },
  {
    native: '$.first === "Ann"',
    iml: '{{$.first = "Ann"}}',
    cel: '$.first == "Ann"',
    jsonata: '$.first = "Ann"',
    logic: json({ '===': [at('first'), 'Ann'] }),
  },
  {
    native: '$.first !== $.last && $.price > 10',
    iml: '{{$.first != $.last & $.price > 10}}',
    cel: '$.first != $.last && $.price > 10.0',
    jsonata: '$.first != $.last and $.price > 10',
    logic: json({ and: [{ '!==': [at('first'), at('last')] }, { '>': [at('price'), 10] }] }),
  },
  {
    native: '$.nick === undefined || $.nick === null || $.nick === "" ? $.first : $.nick',
    iml: '{{ifempty($.nick; $.first)}}',
    cel: 'has($.nick) && $.nick != null && $.nick != "" ? $.nick : $.first',
    jsonata: '$exists($.nick) and $.nick != null and $.nick != "" ? $.nick : $.first',
    logic: json({ or: [at('nick'), at('first')] }),
  },
  {
    native: '$.last.toUpperCase()',
    iml: '{{upper($.last)}}',
    cel: '$.last.upperAscii()',
    jsonata: '$uppercase($.last)',
    logic: json({ upper: [at('last')] }),
  },
];

/** A form whose text is the same in all languages except JsonLogic. */
function same(expression: string): Omit<Form, 'logic'> {
  return { native: expression, iml: `{{${expression}}}`, cel: expression, jsonata: expression };
}

const GROUP_COUNT = 20;

/** 240 different templates in sequence: more shapes per call site than an inline cache can store. */
export const DISTINCT_TEMPLATES: Job = {
  name: 'J1 240 different templates in sequence',
  floor: 4.5,
  target: 1.8,
  ours: 'iml',
  run: async (effort): Promise<JobResult> => {
    const groups = Array.from({ length: GROUP_COUNT }, (_, index) => `group${index}`);
    const write = (form: string, group: string): string => form.replaceAll('$.', `${group}.`);
    const writeAll = (language: keyof Form): string[] =>
      groups.flatMap((group) => FORMS.map((form) => write(form[language], group)));
    const natives = await importFunctions(groups, writeAll('native'));
    const rows: [string, readonly Contestant<Groups>[]][] = [
      ['native', natives.map((run) => ({ name: 'native', run }))],
      ['iml', writeAll('iml').map((text) => ({ name: 'iml', run: compile(text) }))],
      ['cel-js', writeAll('cel').map(celContestant)],
      ['json-logic-engine', writeAll('logic').map((rule) => logicContestant(JSON.parse(rule)))],
      ['jsonata', writeAll('jsonata').map(jsonataContestant)],
    ];
    const scopes = createScopesOfGroups(groups);
    for (let index = 0; index < natives.length; index++) {
      const contestants = rows.flatMap(([, list]) => list[index] ?? []);
      await assertSameOutputs(`template ${index + 1}`, contestants, scopes);
    }
    const contestants = rows.map(([name, list]) => inSequence(name, list));
    const timings = await race(contestants, scopes, effort);
    return { races: [{ name: `${natives.length} templates`, timings }] };
  },
};

function createScopesOfGroups(groups: readonly string[]): Groups[] {
  const items = createItems(8 * GROUP_COUNT);
  return Array.from({ length: 8 }, (_, scope) =>
    Object.fromEntries(groups.map((group, index) => [group, items[scope * GROUP_COUNT + index] as Item])),
  );
}

/** Runs all templates of a language in sequence. */
function inSequence(name: string, list: readonly Contestant<Groups>[]): Contestant<Groups> {
  const runs = list.map(({ run }) => run);
  if (list[0]?.isAsync === true) {
    const runAwaited = async (scope: Groups): Promise<void> => {
      for (const run of runs) await run(scope);
    };
    return { name, run: runAwaited, isAsync: true };
  }
  const run = (scope: Groups): unknown => {
    let last: unknown;
    for (const template of runs) last = template(scope);
    return last;
  };
  return { name, run };
}

/** Native functions: one function literal per template, in a generated module. */
async function importFunctions(
  names: readonly string[],
  bodies: readonly string[],
): Promise<readonly ((scope: Groups) => unknown)[]> {
  const functions = bodies.map((body) => {
    const name = names.find((candidate) => body.includes(`${candidate}.`));
    return `({ ${name} }) => ${body}`;
  });
  const source = `export const functions = [\n${functions.join(',\n')}\n];`;
  const module = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
    functions: readonly ((scope: Groups) => unknown)[];
  };
  return module.functions;
}
