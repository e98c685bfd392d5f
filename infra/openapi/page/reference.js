// Shows the API description with Swagger UI: the endpoints first, then the introduction, section by section.

const { options, introduction, address } = JSON.parse(document.getElementById('page').textContent);

const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
document.documentElement.classList.toggle('dark-mode', isDark);

const plugin = ({ React: { createElement } }) => ({
  components: {
    Reference: ({ getComponent }) => {
      const part = (name, props) => createElement(getComponent(name, true), props);
      const group = (className, ...parts) => createElement('div', { className }, ...parts);
      const sections = introduction.map(({ id, markdown }) =>
        createElement('section', { id, key: id }, part('Markdown', { source: markdown })),
      );
      return group(
        'swagger-ui',
        part('SvgAssets'),
        part('errors'),
        group(
          'scheme-container',
          address && part('ServersContainer'),
          part('AuthorizeBtnContainer'),
        ),
        part('operations'),
        group('introduction', ...sections),
        part('Models'),
      );
    },
  },
});
const ui = SwaggerUIBundle({ ...options, plugins: [plugin], layout: 'Reference' });
// References are resolved against the page's address, which the script cannot read if the page was opened from a disk.
if (address) ui.specActions.updateUrl(address);

// A link of the contents leads to a closed operation: open it.
document.querySelector('nav').addEventListener('click', ({ target }) => {
  const operation = document.getElementById(target.hash?.slice(1));
  operation?.querySelector('.opblock-summary-control[aria-expanded="false"]')?.click();
});
