// The page layout.
import { modeDialog, openModeDialog } from '../modes/mode-badge.tsx'
import { visiblePanels } from '../panels.tsx'
import { has, isHub, isLink } from '../session/place.ts'
import { session } from '../session/session.ts'
import { SignIn } from '../session/sign-in.tsx'
import { modes } from '../store/modes.ts'
import { Boundary } from './boundary.tsx'
import { isHelpOpen } from './help-state.ts'
import { useKeys } from './keys.ts'
import { lazy } from './lazy.tsx'
import { LiveRegion } from './live-region.tsx'
import { goTo, route } from './routes.ts'
import { nextTheme, TopBar } from './top-bar.tsx'

const ModesBar = lazy(async () => (await import('./on-demand.tsx')).ModesBar)
const ModeDialog = lazy(async () => (await import('./on-demand.tsx')).ModeDialog)
const Help = lazy(async () => (await import('./on-demand.tsx')).Help)
const DecisionPage = lazy(async () => (await import('../link/decision-page.tsx')).DecisionPage)
const HubSignIn = lazy(async () => (await import('../hub/hub.ts')).HubSignIn)

export function App() {
  if (isLink.value && session.value.state !== 'refused') return <DecisionPage />
  if (session.value.state === 'open') return <Shell />
  return isHub.value ? <HubSignIn /> : <SignIn />
}

function Shell() {
  const panels = visiblePanels.value
  const panel = panels.find(({ name }) => name === route.value.panel) ?? panels[0]
  const openHelp = () => {
    isHelpOpen.value = true
  }
  useKeys({
    '?': openHelp,
    // Most keyboards type it with Shift, which a binding has to name.
    'Shift+?': openHelp,
    t: nextTheme,
    ...(has('modes') && { m: () => openModeDialog('current') }),
    '/': () => document.querySelector<HTMLElement>('main [type="search"]')?.focus(),
    ...Object.fromEntries(panels.map(({ name, shortcut }) => [`g ${shortcut}`, () => goTo(name)]))
  })
  return (
    <div class="shell">
      <button class="button skip" type="button" onClick={skipToPanel}>
        Skip to the panel
      </button>
      <TopBar />
      {modes.value.modes.length > 0 && <ModesBar />}
      <main class="panel" id="panel" tabIndex={-1} aria-label={panel?.title}>
        {panel && (
          <Boundary key={route.value.panel}>
            <panel.view />
          </Boundary>
        )}
      </main>
      {isHelpOpen.value && <Help />}
      {modeDialog.value !== undefined && <ModeDialog />}
      <LiveRegion />
    </div>
  )
}

/** A link would change the route. */
const skipToPanel = () => document.getElementById('panel')?.focus()
