/** Bytes of a text in a codepage; undefined for a codepage that is not known or does not have every character. */
export function encodeText(text: string, codepage: string): Uint8Array | undefined {
  const name = codepage.toLowerCase().replaceAll(/[\s_]/g, '-');
  switch (name) {
    case 'utf8':
    case 'utf-8':
      return Buffer.from(text, 'utf8');
    case 'utf16':
    case 'utf16le':
    case 'utf-16':
    case 'utf-16le':
    case 'ucs2':
    case 'ucs-2':
      return Buffer.from(text, 'utf16le');
    case 'binary':
    case 'latin1':
    case 'iso-8859-1':
      return encodeSingleByte(text, LATIN1);
    default:
      return encodeSingleByte(text, singleByteTable(name));
  }
}

type Table = ReadonlyMap<string, number>;

const tables = new Map<string, Table | undefined>();

const LATIN1: Table = new Map(Array.from({ length: 256 }, (_, byte) => [String.fromCharCode(byte), byte]));

/** The characters of a single-byte codepage, found by decoding every byte. */
function singleByteTable(name: string): Table | undefined {
  if (tables.has(name)) return tables.get(name);
  const table = readTable(name);
  // The platform's decoders are few, so the labels that lead to a table are too; others are not kept.
  if (table !== undefined) tables.set(name, table);
  return table;
}

function readTable(name: string): Table | undefined {
  try {
    const decoder = new TextDecoder(name, { fatal: false });
    const table = new Map<string, number>();
    for (let byte = 0; byte < 256; byte++) {
      const character = decoder.decode(Uint8Array.of(byte));
      if (character.length !== 1) return undefined;
      if (character !== '\ufffd') table.set(character, byte);
    }
    // A codepage of several bytes a character leaves most single bytes above 127 without a meaning.
    return table.size >= 192 ? table : undefined;
  } catch {
    return undefined;
  }
}

function encodeSingleByte(text: string, table: Table | undefined): Uint8Array | undefined {
  if (table === undefined) return undefined;
  const bytes = Buffer.alloc(text.length);
  for (let offset = 0; offset < text.length; offset++) {
    const byte = table.get(text.charAt(offset));
    if (byte === undefined) return undefined;
    bytes[offset] = byte;
  }
  return bytes;
}
