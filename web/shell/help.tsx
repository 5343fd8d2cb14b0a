// The legend of keys, and the settings.
import { has } from '../session/place.ts'
import { Dialog } from './dialog.tsx'
import { isHelpOpen } from './help-state.ts'
import { KEY_LEGEND } from './key-legend.ts'
import { keysSetting, notifySetting, soundSetting } from './settings.ts'

const closeHelp = () => {
  isHelpOpen.value = false
}

export function Help() {
  return (
    <Dialog title="Keys and settings" onClose={closeHelp}>
      <div class="inside">
        {/* Has the focus at first: the dialog opens at its start, and the arrow keys scroll it. */}
        <div class="help" tabIndex={-1} autofocus>
          {KEY_LEGEND.map(({ where, keys }) => (
            <section key={where}>
              <h3>{where}</h3>
              <dl class="legend">
                {keys
                  .filter(([, , needs]) => has(needs))
                  .map(([key, does]) => (
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
          <SettingCheckbox on={keysSetting} label="Single keys" />
          <SettingCheckbox
            on={notifySetting}
            label="Notify me about waiting calls while this page is hidden"
            onSet={requestNotificationPermission}
          />
          <SettingCheckbox on={soundSetting} label="Play a sound with the notification" />
        </section>
        {has('tools') && (
          <p>
            <a href="/docs" target="_blank" rel="noopener">
              API reference
            </a>
          </p>
        )}
        <div class="row end">
          <button class="button" type="button" onClick={closeHelp}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  )
}

function SettingCheckbox({ on, label, onSet }: { on: typeof keysSetting; label: string; onSet?: () => void }) {
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

async function requestNotificationPermission() {
  if ((await Notification.requestPermission()) !== 'granted') notifySetting.value = 'off'
}
