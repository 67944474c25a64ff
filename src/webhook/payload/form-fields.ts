import { type PlainObject, setMember } from '../../util/plain-object.js';

/**
 * The fields of a form with `name[]` written as lists: `a[]=1` is a list of one, and `a=1&a[]=2` one of two.
 * Source: https://help.make.com/webhooks. [inf]
 */
export function listFields(form: PlainObject): PlainObject {
  const names = Object.keys(form);
  if (!names.some(isList)) return form;
  const fields = new Map<string, unknown>();
  for (const name of names) {
    const value = form[name];
    const plain = isList(name) ? name.slice(0, -2) : name;
    const present = fields.get(plain);
    if (present !== undefined) fields.set(plain, [present, value].flat());
    else fields.set(plain, isList(name) ? [value].flat() : value);
  }
  const result: PlainObject = {};
  for (const [name, value] of fields) setMember(result, name, value);
  return result;
}

function isList(name: string): boolean {
  return name.length > 2 && name.endsWith('[]');
}
