// The spent token of the first address is no part of an address to keep.
const address = new URL(location.href);
if (address.searchParams.has('token')) {
  address.searchParams.delete('token');
  history.replaceState(null, '', address);
}

for (const place of document.querySelectorAll('.copyable')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(place.querySelector('code').textContent);
    button.textContent = 'Copied';
  });
  place.append(button);
}

// An empty filter is no part of an address to keep.
for (const form of document.querySelectorAll('form.search'))
  form.addEventListener('formdata', ({ formData }) => {
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name);
  });
