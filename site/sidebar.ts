// Parses the contents of docs/README.md, which lists every page by section: the sidebar of the site.
import path from 'node:path'
import { REFERENCES, toSitePath } from './pages.ts'

interface SidebarSection {
  text: string
  items: { text: string; link: string; target?: string }[]
}

/** Returns the sections with their pages. Pages are linked by their paths in the repository. */
export function parseSidebar(readme: string): SidebarSection[] {
  const sections: SidebarSection[] = []
  for (const line of readme.split('\n')) {
    const [, heading] = /^## (.+)/.exec(line) ?? []
    if (heading) sections.push({ text: heading, items: [] })
    const [, text, to] = /^- \[([^\]]+)\]\(([^)]+)\)/.exec(line) ?? []
    if (text && to && sections.length > 0) sections.at(-1)!.items.push({ text, ...toLink(path.join('docs', to)) })
  }
  return sections
}

const toLink = (file: string) =>
  file in REFERENCES ? { link: `/${REFERENCES[file]}`, target: '_self' } : { link: `/${toSitePath(file)}` }
