// The bar: title, navigation and connection status.
import { signal } from '@preact/signals'
import { visiblePanels } from '../panels.tsx'
import { client, session } from '../session/session.ts'
import { lastSegments } from '../text/paths.ts'
import { ConnectionStatus } from './connection-status.tsx'
import { isHelpOpen } from './help-state.ts'
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
        <SignedIn />
        <button class="button quiet" type="button" onClick={nextTheme} title="Theme (t)">
          <span class="spoken">Theme: </span>
          {theme.value}
        </button>
        <button
          class="button quiet"
          type="button"
          aria-label="Keys and settings"
          title="Keys and settings (?)"
          onClick={() => {
            isHelpOpen.value = true
          }}
        >
          ?
        </button>
      </div>
    </header>
  )
}

/** The person who has signed in, where people do. */
function SignedIn() {
  const now = session.value
  if (now.state !== 'open' || now.person === undefined) return null
  const leave = async () => (await import('../hub/hub.ts')).signOut()
  return (
    <button
      class="button quiet person"
      type="button"
      title={`Signed in as ${now.person.name}`}
      onClick={() => void leave()}
    >
      Sign out
    </button>
  )
}

const formatRoots = ([first, ...more]: readonly string[]) =>
  first === undefined ? '' : lastSegments(first) + (more.length > 0 ? ` and ${more.length} more` : '')
