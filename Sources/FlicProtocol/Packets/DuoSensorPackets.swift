// Accelerometer and fall detection of the Flic Duo, firmware 20 and later (protocol 13.2). The settings are those of the sensor's registers.
// Samples are 16-bit x, y and z, repeated.

/// Starts a stream of samples.
package struct ConfigureAccelerometerStreamingRequest: Packet {
    package static let opcode: UInt8 = 41
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var lowPowerMode: UInt8 = 0
    package var mode: UInt8 = 0
    package var outputDataRate: UInt8 = 0
    package var bandwidthFilter: UInt8 = 0
    package var fullScale: UInt8 = 0
    package var filterDatatype = false
    package var lowNoise = false
    package var highPassReference = false
    package var onlyWhilePressed = false
    package var samplesPerBurst: UInt8 = 0
    package var reserved: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("low_power_mode", &lowPowerMode, bits: 2)
        coder.integer("mode", &mode, bits: 2)
        coder.integer("output_data_rate", &outputDataRate, bits: 4)
        coder.integer("bandwidth_filter", &bandwidthFilter, bits: 2)
        coder.integer("full_scale", &fullScale, bits: 2)
        coder.flag("filter_datatype", &filterDatatype)
        coder.flag("low_noise", &lowNoise)
        coder.flag("high_pass_reference", &highPassReference)
        coder.flag("only_while_pressed", &onlyWhilePressed)
        coder.integer("samples_per_burst", &samplesPerBurst, bits: 6)
        coder.integer("rfu", &reserved, bits: 2)
    }
}

/// Outcome.
package struct ConfigureAccelerometerStreamingResponse: Packet {
    package static let opcode: UInt8 = 35
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var result: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("result", &result, bits: 8)
    }
}

/// Ends the stream of samples.
package struct DisableAccelerometerStreamingRequest: Packet {
    package static let opcode: UInt8 = 42
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// The stream has ended.
package struct DisableAccelerometerStreamingResponse: Packet {
    package static let opcode: UInt8 = 36
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// A burst of samples.
package struct AccelerometerStreamingNotification: Packet {
    package static let opcode: UInt8 = 37
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var samples: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.rest("samples", &samples)
    }
}

/// Starts watching for falls.
package struct ConfigureFallDetectionRequest: Packet {
    package static let opcode: UInt8 = 44
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var lowGThresholdMg: UInt16 = 0
    package var lowGDurationMs: UInt16 = 0
    package var highGTimeoutMs: UInt16 = 0
    package var highGThresholdMg: UInt16 = 0
    package var highGTimeWindowMs: UInt16 = 0
    package var postEventRecordMs: UInt16 = 0
    package var fullScale: UInt8 = 0
    package var reserved: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("low_g_threshold_mg", &lowGThresholdMg, bits: 16)
        coder.integer("low_g_duration_ms", &lowGDurationMs, bits: 16)
        coder.integer("high_g_timeout_ms", &highGTimeoutMs, bits: 16)
        coder.integer("high_g_threshold_mg", &highGThresholdMg, bits: 16)
        coder.integer("high_g_time_window_ms", &highGTimeWindowMs, bits: 16)
        coder.integer("post_event_record_ms", &postEventRecordMs, bits: 16)
        coder.integer("full_scale", &fullScale, bits: 2)
        coder.integer("rfu", &reserved, bits: 6)
    }
}

/// Outcome.
package struct ConfigureFallDetectionResponse: Packet {
    package static let opcode: UInt8 = 39
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var result: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("result", &result, bits: 8)
    }
}

/// Ends watching for falls.
package struct CancelFallDetectionRequest: Packet {
    package static let opcode: UInt8 = 45
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// Falls are no longer watched for.
package struct CancelFallDetectionResponse: Packet {
    package static let opcode: UInt8 = 42
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// A fall; the first of its samples.
package struct FallDetectionTriggeredNotification: Packet {
    package static let opcode: UInt8 = 40
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var phase0SampleRate: UInt16 = 0
    package var phase0Samples: UInt16 = 0
    package var phase1SampleRate: UInt16 = 0
    package var phase1Samples: UInt16 = 0
    package var samples: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("phase0_sample_rate", &phase0SampleRate, bits: 16)
        coder.integer("phase0_samples", &phase0Samples, bits: 16)
        coder.integer("phase1_sample_rate", &phase1SampleRate, bits: 16)
        coder.integer("phase1_samples", &phase1Samples, bits: 16)
        coder.rest("samples", &samples)
    }
}

/// Further samples of a fall.
package struct FallDetectionSamplesNotification: Packet {
    package static let opcode: UInt8 = 41
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var samples: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.rest("samples", &samples)
    }
}
