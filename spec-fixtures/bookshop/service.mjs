import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const MAX_PER_PAGE = 25;
const MAX_BODY_BYTES = 100_000;

const GENRES = [
  { id: 'crime', name: 'Crime' },
  { id: 'travel', name: 'Travel' },
  { id: 'poetry', name: 'Poetry' },
  { id: 'science', name: 'Science' },
];

const FIRST_WORDS = ['Quiet', 'Northern', 'Paper', 'Second', 'Hollow', 'Copper', 'Late'];
const SECOND_WORDS = ['Lighthouse', 'Orchard', 'Sea', 'Atlas', 'Winter', 'Bridge'];

const AUTHORS = [
  { name: 'Ida Brandt', country: 'DK' },
  { name: 'Tomáš Vrba', country: 'CZ' },
  { name: 'Noor Haddad', country: 'LB' },
  { name: 'Inês Prado', country: 'PT' },
  { name: '佐藤 遥', country: 'JP' },
];

/** The 42 books of the shop. */
export function createBooks() {
  return Array.from({ length: FIRST_WORDS.length * SECOND_WORDS.length }, (_, index) => ({
    isbn: isbnOf(index + 1),
    title: `The ${FIRST_WORDS[index % FIRST_WORDS.length]} ${SECOND_WORDS[index % SECOND_WORDS.length]}`,
    author: AUTHORS[index % AUTHORS.length],
    genre: GENRES[index % GENRES.length].id,
    price: { cents: 999 + ((index * 350) % 2800), currency: 'EUR' },
    published: `${1991 + (index % 30)}-${pad(1 + ((index + 1) % 12))}-${pad(1 + ((index * 5 + 1) % 28))}`,
  }));
}

function pad(number) {
  return String(number).padStart(2, '0');
}

/** A number of an unused range with its check digit: digits weigh 1 and 3 in turn. */
function isbnOf(number) {
  const digits = `978000${String(number).padStart(6, '0')}`;
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return `978-0-00-${digits.slice(6)}-${(10 - (sum % 10)) % 10}`;
}

/**
 * Starts a shop on this machine. Every shop has its own books.
 *
 * Returns its address, `baseUrl` for the app, the requests it got so far, and how to close it.
 */
export async function startBookshop({ port = 0, apiKey = 'demo-key-0001' } = {}) {
  const shop = { apiKey, books: createBooks() };
  const requests = [];
  const server = createServer(async (request, response) => {
    requests.push({ method: request.method, url: request.url });
    const { status, headers = {}, body } = await answer(request, shop);
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
    response.end(JSON.stringify(body));
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${server.address().port}`;
  const close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { origin, baseUrl: `${origin}/v1`, apiKey, requests, close };
}

async function answer(request, shop) {
  const url = new URL(request.url ?? '/', 'http://shop');
  const [version, resource, id, ...rest] = url.pathname.split('/').slice(1);
  if (version !== 'v1' || rest.length > 0) return failure(404, 'Page not found.');
  if (request.headers['x-api-key'] !== shop.apiKey) return failure(401, 'The API key is not known.');
  switch (`${request.method} ${resource}${id === undefined ? '' : '/:id'}`) {
    case 'GET me':
      return { status: 200, body: { shop: { name: 'Corner Bookshop', email: 'owner@bookshop.example' } } };
    case 'GET genres':
      return { status: 200, body: { genres: GENRES } };
    case 'GET books':
      return { status: 200, body: pageOf(shop.books, url.searchParams) };
    case 'GET books/:id':
      return findBook(shop.books, decodeURIComponent(id));
    case 'POST books':
      return createBook(shop.books, await readJson(request));
    case 'GET errors/:id':
      return errorOf(Number(id));
    default:
      return failure(404, 'Page not found.');
  }
}

function pageOf(books, query) {
  const genre = query.get('genre');
  const search = query.get('search')?.toLowerCase();
  const page = wholeOf(query.get('page'), 1);
  const perPage = Math.min(wholeOf(query.get('per_page'), 10), MAX_PER_PAGE);
  const found = books.filter(
    (book) => (genre === null || book.genre === genre) && (!search || book.title.toLowerCase().includes(search)),
  );
  const shown = found.slice((page - 1) * perPage, page * perPage);
  return { books: shown, page, pages: Math.ceil(found.length / perPage), total: found.length };
}

function wholeOf(text, fallback) {
  return /^[1-9]\d{0,5}$/.test(text ?? '') ? Number(text) : fallback;
}

function findBook(books, isbn) {
  const book = books.find((candidate) => candidate.isbn === isbn);
  return book === undefined ? failure(404, `There is no book ${isbn}.`) : { status: 200, body: { book } };
}

function createBook(books, given) {
  if (given === undefined) return failure(400, 'The body is no JSON object.');
  const fields = {};
  if (typeof given.title !== 'string' || given.title === '') fields.title = 'is missing';
  if (given.genre !== undefined && !GENRES.some((genre) => genre.id === given.genre)) fields.genre = 'is not known';
  if (Object.keys(fields).length > 0) {
    return { status: 422, body: { error: { message: 'Some fields are wrong', fields } } };
  }
  const { title, author, genre, price, published } = given;
  const book = { isbn: isbnOf(books.length + 1), title, author, genre, price, published };
  books.push(book);
  return { status: 201, body: { book } };
}

async function readJson(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_BODY_BYTES) return undefined;
  }
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function errorOf(status) {
  if (!(status >= 400 && status <= 599)) return failure(404, 'Page not found.');
  const answered = failure(status, `You asked for status ${status}.`);
  return status === 429 ? { ...answered, headers: { 'retry-after': '30' } } : answered;
}

function failure(status, message) {
  return { status, body: { error: { message } } };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { baseUrl, apiKey } = await startBookshop({ port: Number(process.env.PORT ?? 0) });
  console.log(`${baseUrl} (X-Api-Key: ${apiKey})`);
}
