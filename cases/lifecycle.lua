-- The promises of device.h for calls in any order. sequence/lifecycle.c draws the sequence from the name of the case.
return strategy "lifecycle" {
  plan = "Random sequences of calls: operators created, compiled, dispatched, destroyed in any order; several devices.",
  cases = function() end,
  interface = function(interface)
    local counts = { mixed = 24, devices = 3, many = 2, hidden = 1, growth = 1, reopen = 1 }
    local steps = { mixed = 60, devices = 80, many = 640, hidden = 24, growth = 24, reopen = 20 }
    for kind, count in pairs(counts) do
      for n = 1, count do
        interface:sequence { label = ("%s-%02d"):format(kind, n), kind = kind, steps = steps[kind] }
      end
    end
  end,
}
