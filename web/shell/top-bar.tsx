// The bar: title, navigation and connection status.
import { signal } from '@preact/signals'
import { visiblePanels } from '../panels.tsx'
import { client } from '../session/session.ts'
import { lastSegments } from '../text/paths.ts'
import { AccountMenu } from './account-menu.tsx'
import { ConnectionStatus } from './connection-status.tsx'
import { hrefOf, route } from './routes.ts'
import { type Theme, theme } from './settings.ts'

/** The workspace folders that are served. */
const roots = signal<readonly string[]>([])

export async function loadRoots() {
  const { workspaces } = (await client().capabilities()) as { workspaces: { root: string }[] }
  roots.value = workspaces.map(({ root }) => root)
}

const NEXT_THEME: Record<Theme, Theme> = { auto: 'light', light: 'dark', dark: 'auto' }
export const nextTheme = () => {
  theme.value = NEXT_THEME[theme.peek()]
}

export function TopBar() {
  const here = route.value.panel
  return (
    <header class="bar">
      <span class="brand">Toolgate</span>
      <nav class="tabs" aria-label="Panels">
        {visiblePanels.value.map(({ name, title, count }) => (
          <a key={name} href={hrefOf(name)} aria-current={name === here ? 'page' : undefined}>
            {title}
            {count !== undefined && count() > 0 && <span class="count">{count()}</span>}
          </a>
        ))}
      </nav>
      <span class="project" title={roots.value.join('\n')}>
        {formatRoots(roots.value)}
      </span>
      <div class="row">
        <ConnectionStatus />
        <AccountMenu />
      </div>
    </header>
  )
}

const formatRoots = ([first, ...more]: readonly string[]) =>
  first === undefined ? '' : lastSegments(first) + (more.length > 0 ? ` and ${more.length} more` : '')
