/** Body of all requests. */
export const PAYLOAD: string = JSON.stringify({
  id: 17,
  name: 'Ann',
  tags: ['a', 'b'],
  at: '2026-11-01T10:00:00Z',
});
