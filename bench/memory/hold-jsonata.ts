import jsonata from 'jsonata';
import { TEMPLATES_PER_APP } from './apps.js';
import { liveBytes } from './live-heap.js';

/** Holds as many expressions of jsonata as apps have templates, and prints the bytes they keep in use. */
const count = Number(process.argv[2]) * TEMPLATES_PER_APP;

const FORMS: readonly ((index: number) => string)[] = [
  (index) => `item.field_${index}`,
  (index) => `item.first_${index} & " " & item.last`,
  (index) => `item.active ? "on ${index}" : item.state`,
  (index) => `$fromMillis($toMillis(item.created_${index}), "[Y]-[M01]-[D01]")`,
  (index) => `$join(item.tags_${index}.name, ", ")`,
];

const make = (index: number): jsonata.Expression => jsonata(FORMS[index % FORMS.length]?.(index) ?? '');

make(count);
const before = liveBytes();
const expressions = Array.from({ length: count }, (_, index) => make(index));
const after = liveBytes();
console.log(expressions.length === count ? after - before : 'lost');
