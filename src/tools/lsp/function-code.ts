import type { FunctionComponent } from '../../engine/document/app.js';
import type { Subject } from '../check/subject/subject.js';
import type { Found } from './symbol.js';

/** The declaration of a custom function, and `iml.` calls in all code and tests. */
export function findInCode({ app }: Subject): readonly Found[] {
  return [...app.functions.values()].flatMap(({ name, code = '', file }) => {
    if (file === undefined) return [];
    const add = (called: string, start: number, isDefinition: boolean): Found => ({
      symbol: { kind: 'function', name: called },
      at: { file, start, end: start + called.length, isDefinition },
    });
    const declared = [...code.matchAll(/\bfunction\s+([A-Za-z_$][\w$]*)/g)].find(
      (match) => match[1] === name,
    );
    const calls = [...code.matchAll(/\biml\s*\.\s*([A-Za-z_$][\w$]*)/g)].filter(([, called = '']) =>
      app.functions.has(called),
    );
    return [
      ...(declared === undefined ? [] : [add(name, declared.index + declared[0].length - name.length, true)]),
      ...calls.map(({ index, 0: whole, 1: called = '' }) =>
        add(called, index + whole.length - called.length, false),
      ),
    ];
  });
}

/** Parameter names of a custom function; empty if its code does not parse. */
export function readOwnParameters({ name, code = '' }: FunctionComponent): readonly string[] {
  const heads = [...code.matchAll(/\bfunction\s+([A-Za-z_$][\w$]*)\s*\(([^()]*)\)/g)];
  const list = heads.find((match) => match[1] === name)?.[2] ?? '';
  return list
    .split(',')
    .map((parameter) => parameter.trim())
    .filter((parameter) => parameter !== '');
}
