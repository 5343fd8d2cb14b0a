// The legend of keys, and what can be set.
import { signal } from '@preact/signals'
import { Dialog } from './dialog.tsx'
import { LEGEND } from './key-legend.ts'
import { keysOn, notifyOn, soundOn } from './settings.ts'

export const helpOpen = signal(false)
const close = () => {
  helpOpen.value = false
}

export function Help() {
  if (!helpOpen.value) return null
  return (
    <Dialog title="Keys and settings" onClose={close}>
      <div class="inside">
        <div class="help">
          {LEGEND.map(({ where, keys }) => (
            <section key={where}>
              <h3>{where}</h3>
              <dl class="legend">
                {keys.map(([key, does]) => (
                  <div key={key} class="pair">
                    <dt>
                      {key.split(' ').map(each => (
                        <>
                          <kbd>{each}</kbd>{' '}
                        </>
                      ))}
                    </dt>
                    <dd>{does}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
        <section>
          <h3>Settings of this browser</h3>
          <Check on={keysOn} label="Single keys" />
          <Check on={notifyOn} label="Notify me when something waits and this page is hidden" onSet={askLeave} />
          <Check on={soundOn} label="Make a sound then" />
        </section>
        <div class="row end">
          <button class="button" type="button" onClick={close}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  )
}

function Check({ on, label, onSet }: { on: typeof keysOn; label: string; onSet?: () => void }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={on.value === 'on'}
        onChange={({ currentTarget }) => {
          on.value = currentTarget.checked ? 'on' : 'off'
          if (currentTarget.checked) onSet?.()
        }}
      />
      {label}
    </label>
  )
}

async function askLeave() {
  if ((await Notification.requestPermission()) !== 'granted') notifyOn.value = 'off'
}
