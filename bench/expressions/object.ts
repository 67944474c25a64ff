import { compile } from '../../src/language/compile.js';
import type { Job, JobResult } from '../job.js';
import { type Contestant, race } from '../measure.js';
import { assertSameOutputs } from '../same-outputs.js';
import { celContestant, germanDate, jsonataContestant } from './peers.js';
import { createScopes, type Item, type ItemScope } from './records.js';

/** A typical `output` directive. */
const TEMPLATE: Readonly<Record<string, string>> = {
  id: '{{item.id}}',
  first: '{{item.first}}',
  last: '{{item.last}}',
  name: '{{item.first}} {{item.last}}',
  nick: '{{ifempty(item.nick; item.first)}}',
  city: '{{item.address.city}}',
  zip: '{{item.address.zip}}',
  place: '{{item.address.zip}} {{item.address.city}}',
  url: 'https://example.com/items/{{item.id}}',
  title: 'Order {{item.id}} of {{item.first}} in {{item.address.city}}.',
  price: '{{item.price}}',
  cost: '{{item.cost}}',
  margin: '{{item.price - item.cost}}',
  taxed: '{{item.price * 1.21}}',
  isLarge: '{{item.price > item.cost * 50}}',
  state: '{{if(item.active; "active"; "archived")}}',
  created: '{{item.created}}',
  date: '{{formatDate(parseDate(item.created; "YYYY-MM-DD"); "DD.MM.YYYY")}}',
  tags: '{{join(map(item.tags; "name"); ", ")}}',
  initial: '{{upper(item.last)}}',
};

const JSONATA = `{ "id": item.id, "first": item.first, "last": item.last, "name": item.first & " " & item.last,
  "nick": $exists(item.nick) and item.nick != null and item.nick != "" ? item.nick : item.first,
  "city": item.address.city, "zip": item.address.zip, "place": item.address.zip & " " & item.address.city,
  "url": "https://example.com/items/" & item.id,
  "title": "Order " & item.id & " of " & item.first & " in " & item.address.city & ".",
  "price": item.price, "cost": item.cost, "margin": item.price - item.cost, "taxed": item.price * 1.21,
  "isLarge": item.price > item.cost * 50, "state": item.active ? "active" : "archived", "created": item.created,
  "date": $fromMillis($toMillis(item.created), "[D01].[M01].[Y0001]"), "tags": $join([item.tags.name], ", "),
  "initial": $uppercase(item.last) }`;

const CEL = `{ "id": item.id, "first": item.first, "last": item.last, "name": item.first + " " + item.last,
  "nick": has(item.nick) && item.nick != null && item.nick != "" ? item.nick : item.first,
  "city": item.address.city, "zip": item.address.zip, "place": item.address.zip + " " + item.address.city,
  "url": "https://example.com/items/" + string(item.id),
  "title": "Order " + string(item.id) + " of " + item.first + " in " + item.address.city + ".",
  "price": item.price, "cost": item.cost, "margin": item.price - item.cost, "taxed": item.price * 1.21,
  "isLarge": item.price > item.cost * 50.0, "state": item.active ? "active" : "archived", "created": item.created,
  "date": reformatDate(item.created), "tags": item.tags.map(tag, tag.name).join(", "),
  "initial": item.last.upperAscii() }`;

function native({ item }: ItemScope): object {
  return {
    id: item.id,
    first: item.first,
    last: item.last,
    name: `${item.first} ${item.last}`,
    nick: nickOf(item),
    city: item.address.city,
    zip: item.address.zip,
    place: `${item.address.zip} ${item.address.city}`,
    url: `https://example.com/items/${item.id}`,
    title: `Order ${item.id} of ${item.first} in ${item.address.city}.`,
    price: item.price,
    cost: item.cost,
    margin: item.price - item.cost,
    taxed: item.price * 1.21,
    isLarge: item.price > item.cost * 50,
    state: item.active ? 'active' : 'archived',
    created: item.created,
    date: germanDate(item.created),
    tags: item.tags.map((tag) => tag.name).join(', '),
    initial: item.last.toUpperCase(),
  };
}

function nickOf({ nick, first }: Item): string {
  return nick === undefined || nick === null || nick === '' ? first : nick;
}

/** An object with 20 templates, evaluated for each item of a list. */
export const OBJECT_OF_TEMPLATES: Job = {
  name: 'J1 object of 20 templated fields over 1000 items',
  floor: 3.0,
  target: 2.8,
  ours: 'iml',
  run: async (effort): Promise<JobResult> => {
    const scopes = createScopes(1000);
    const contestants: Contestant<ItemScope>[] = [
      { name: 'native', run: native },
      { name: 'iml', run: compile(TEMPLATE) },
      celContestant(CEL),
      jsonataContestant(JSONATA),
    ];
    await assertSameOutputs('object', contestants, scopes.slice(0, 100));
    return { races: [{ name: '20 fields', timings: await race(contestants, scopes, effort) }] };
  },
};
