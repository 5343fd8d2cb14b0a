// Collects the pages of the site from the Markdown files of the repository. Links between pages are adapted to their places in the
// site, links to other files lead to the public repository.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const PAGES = ['docs/**/*.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'bench/README.md']
const IMAGES = 'docs/images'
/** The API references are pages without scripts, made by the build. They take the places of the API documents. */
export const REFERENCES: Readonly<Record<string, string>> = {
  'openapi.yaml': 'reference.html',
  'openapi-hub.yaml': 'hub-reference.html'
}
const REFERENCE_FILES = {
  'dist/web/reference.html': 'reference.html',
  'dist/web/hub-reference.html': 'hub-reference.html',
  'dist/web/reference.css': 'web/reference.css',
  'dist/web/icon.svg': 'web/icon.svg'
}
const REPOSITORY = 'https://github.com/toolgate/toolgate'

const LINK = /\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)/g
/** Paths of images in HTML: the bundler takes one without a leading dot for a package. */
const BARE_SOURCE = /\b(src|srcset)="(?=\w)/g

/** Writes the pages and images to a new folder. */
export function collectPages(folder: string) {
  const pages = new Set(globSync(PAGES))
  for (const page of pages) {
    const target = path.join(folder, toSitePath(page))
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, adaptLinks(page, readFileSync(page, 'utf8'), pages))
  }
  cpSync(IMAGES, path.join(folder, toSitePath(IMAGES)), { recursive: true })
  for (const [file, target] of Object.entries(REFERENCE_FILES)) cpSync(file, path.join(folder, 'public', target))
}

/** Returns the path of a page or an image in the site. */
export const toSitePath = (file: string) => {
  if (file === 'docs/README.md') return 'index.md'
  return file.replace(/^docs\//, '').replace(/\/README\.md$/, '.md')
}

function adaptLinks(page: string, markdown: string, pages: ReadonlySet<string>): string {
  return markdown.replaceAll(BARE_SOURCE, '$1="./').replaceAll(LINK, (link, to: string, anchor = '') => {
    const target = path.join(path.dirname(page), to)
    if (target in REFERENCES) return `](/${REFERENCES[target]}){target="_self"}`
    if (pages.has(target) || target.startsWith(IMAGES))
      return `](${path.relative(path.dirname(toSitePath(page)), toSitePath(target))}${anchor})`
    return existsSync(target) ? `](${REPOSITORY}/blob/main/${target}${anchor})` : link
  })
}
