import jsonata from 'jsonata';
import { TEMPLATES_PER_APP } from './apps.js';
import { liveBytes } from './live-heap.js';

/** Keeps one jsonata expression per template of the apps, and prints their memory in bytes. */
const count = Number(process.argv[2]) * TEMPLATES_PER_APP;

const FORMS: readonly ((index: number) => string)[] = [
  (index) => `item.field_${index}`,
  (index) => `item.first_${index} & " " & item.last`,
  (index) => `item.active ? "on ${index}" : item.state`,
  (index) => `$fromMillis($toMillis(item.created_${index}), "[Y]-[M01]-[D01]")`,
  (index) => `$join(item.tags_${index}.name, ", ")`,
];

const create = (index: number): jsonata.Expression => jsonata(FORMS[index % FORMS.length]?.(index) ?? '');

create(count);
const before = liveBytes();
const expressions = Array.from({ length: count }, (_, index) => create(index));
const after = liveBytes();
console.log(expressions.length === count ? after - before : 'An expression was lost.');
