const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-](\d{2}):(\d{2}))$/;
const EMAIL = /^[^\s@"(),:;<>[\\\]]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251})$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A calendar date, such as `2026-02-28`. */
function isDate(value: string): boolean {
  const match = DATE.exec(value);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** An instant with UTC offset (RFC 3339), without leap seconds, which `Date` does not support. */
function isDateTime(value: string): boolean {
  const match = DATE_TIME.exec(value);
  if (!match || !isDate(match[1] ?? '')) return false;
  const [hour, minute, second] = [Number(match[2]), Number(match[3]), Number(match[4])];
  const [offsetHour, offsetMinute] = [Number(match[5] ?? 0), Number(match[6] ?? 0)];
  return hour < 24 && minute < 60 && second < 60 && offsetHour < 24 && offsetMinute < 60;
}

function isEmail(value: string): boolean {
  const host = value.slice(value.indexOf('@') + 1);
  return EMAIL.test(value) && !host.includes('..') && !host.endsWith('.') && !host.endsWith('-');
}

function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** An absolute URL. */
function isUri(value: string): boolean {
  return !/\s/.test(value) && URL.canParse(value);
}

/** All supported `format` values. */
export const FORMATS: Readonly<Record<string, (value: string) => boolean>> = Object.freeze({
  date: isDate,
  'date-time': isDateTime,
  email: isEmail,
  uuid: isUuid,
  uri: isUri,
});
