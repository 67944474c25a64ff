function filter(search, mode = 'eq') {
  // [{ column: 'name', value: 'kettle' }] becomes name=eq.kettle.
  return (search ?? [])
    .map(({ column, value }) => `${encodeURIComponent(column)}=${mode}.${encodeURIComponent(value)}`)
    .join('&');
}
