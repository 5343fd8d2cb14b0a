// The documentation as a web site: the Markdown of the repository with a sidebar, a search and the API reference.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vitepress'
import { searchOptions } from '../search.ts'
import { parseSidebar } from '../sidebar.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
/** Set by scripts/docs-site.ts, which puts the pages there. */
const FOLDER = process.env.SITE_FOLDER!

/** Returns the anchor that GitHub gives to a heading. */
const toAnchor = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')

export default defineConfig({
  title: 'Toolgate',
  description: 'The tool-execution server that every editor and every agent can share.',
  srcDir: path.join(FOLDER, 'pages'),
  cacheDir: path.join(FOLDER, 'cache'),
  head: [['link', { rel: 'icon', href: '/web/icon.svg' }]],
  cleanUrls: true,
  // The API reference is no page of this program.
  ignoreDeadLinks: ['/reference'],
  markdown: {
    theme: { light: 'github-light', dark: 'github-dark' },
    anchor: { slugify: toAnchor },
    // Pages are text, never templates: two braces are no expression.
    config: md => {
      const render = md.render.bind(md)
      md.render = (...args) => render(...args).replaceAll('{{', '&#123;&#123;')
    }
  },
  themeConfig: {
    sidebar: parseSidebar(readFileSync(path.join(ROOT, 'docs/README.md'), 'utf8')),
    outline: [2, 3],
    search: { provider: 'local', options: searchOptions },
    socialLinks: [{ icon: 'github', link: 'https://github.com/toolgate/toolgate' }]
  }
})
