import { compile } from '../../src/language/compile.js';
import type { Job, JobResult } from '../job.js';
import { type Contestant, race } from '../measure.js';
import { assertSameOutputs } from '../same-outputs.js';
import { celContestant, germanDate, jsonataContestant, logicContestant, logicPath } from './peers.js';
import { createScopes, type ItemScope } from './records.js';

/** One expression in JavaScript and four expression languages. */
interface Case {
  readonly name: string;
  readonly native: (scope: ItemScope) => unknown;
  readonly iml: string;
  readonly cel: string;
  readonly jsonata: string;
  readonly logic: object;
}

const CASES: readonly Case[] = [
  {
    name: 'path',
    native: ({ item }) => item?.address?.city,
    iml: '{{item.address.city}}',
    cel: 'item.address.city',
    jsonata: 'item.address.city',
    logic: logicPath('item.address.city'),
  },
  {
    name: 'text with 3 holes',
    native: ({ item }) => `Order ${item?.id ?? ''} of ${item?.first ?? ''} in ${item?.address?.city ?? ''}.`,
    iml: 'Order {{item.id}} of {{item.first}} in {{item.address.city}}.',
    cel: '"Order " + string(item.id) + " of " + item.first + " in " + item.address.city + "."',
    jsonata: '"Order " & item.id & " of " & item.first & " in " & item.address.city & "."',
    logic: {
      cat: [
        'Order ',
        logicPath('item.id'),
        ' of ',
        logicPath('item.first'),
        ' in ',
        logicPath('item.address.city'),
        '.',
      ],
    },
  },
  {
    name: 'a > b * 50',
    native: ({ item }) => item.price > item.cost * 50,
    iml: '{{item.price > item.cost * 50}}',
    cel: 'item.price > item.cost * 50.0',
    jsonata: 'item.price > item.cost * 50',
    logic: { '>': [logicPath('item.price'), { '*': [logicPath('item.cost'), 50] }] },
  },
  {
    name: 'parse + format date',
    native: ({ item }) => germanDate(item.created),
    iml: '{{formatDate(parseDate(item.created; "YYYY-MM-DD"); "DD.MM.YYYY")}}',
    cel: 'reformatDate(item.created)',
    jsonata: '$fromMillis($toMillis(item.created), "[D01].[M01].[Y0001]")',
    logic: { reformatDate: [logicPath('item.created')] },
  },
  {
    name: 'ifempty',
    native: ({ item }) =>
      item.nick === undefined || item.nick === null || item.nick === '' ? item.first : item.nick,
    iml: '{{ifempty(item.nick; item.first)}}',
    cel: 'has(item.nick) && item.nick != null && item.nick != "" ? item.nick : item.first',
    jsonata: '$exists(item.nick) and item.nick != null and item.nick != "" ? item.nick : item.first',
    logic: { or: [logicPath('item.nick'), logicPath('item.first')] },
  },
  {
    name: 'join(map)',
    native: ({ item }) => item.tags.map((tag) => tag.name).join(', '),
    iml: '{{join(map(item.tags; "name"); ", ")}}',
    cel: 'item.tags.map(tag, tag.name).join(", ")',
    jsonata: '$join([item.tags.name], ", ")',
    logic: { join: [{ map: [logicPath('item.tags'), logicPath('name')] }, ', '] },
  },
];

/** Six compiled expressions, each evaluated for different records. */
export const SINGLE_EXPRESSIONS: Job = {
  name: 'J1 one compiled expression, geometric mean of six',
  floor: 2.2,
  target: 2.2,
  ours: 'iml',
  run: async (effort): Promise<JobResult> => {
    const scopes = createScopes(64);
    const races = [];
    for (const { name, native, iml, cel, jsonata, logic } of CASES) {
      const contestants: Contestant<ItemScope>[] = [
        { name: 'native', run: native },
        { name: 'iml', run: compile(iml) },
        celContestant(cel),
        logicContestant(logic),
        jsonataContestant(jsonata),
      ];
      await assertSameOutputs(name, contestants, scopes);
      races.push({ name, timings: await race(contestants, scopes, effort) });
    }
    return { races };
  },
};
